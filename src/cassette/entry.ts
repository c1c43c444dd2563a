import { createHash } from 'node:crypto'
import { parseJsonInSteps } from '../encoding/json.js'
import { endOfPlainString, endOfString, skipWhitespace } from '../encoding/jsonText.js'
import { keysOf } from '../encoding/jsonKeys.js'
import { STRING_AT_ONCE, longString, partsOf } from '../encoding/jsonWriter.js'
import { sortInSteps } from '../encoding/sorting.js'
import { type Steps, runToCompletion } from '../encoding/timeSlice.js'
import { objectMembers } from '../rpc/envelope/scan.js'
import { CassetteError } from './lines.js'

/** Version of the format. Files with a greater one are refused. */
export const CASSETTE_VERSION = 1

/** Key of a request. Entries of equal calls are replayed in recorded order. */
export type RecordedCall =
  | readonly [kind: 'rpc', network: string, method: string, params: unknown]
  | readonly [kind: 'files', request: string, headers: Readonly<Record<string, string>>, bodyHash: string]

/** HTTP response in place of a JSON-RPC answer, or answer of the file network. */
export interface RecordedResponse {
  status: number
  headers: Readonly<Record<string, string>>
  /** Text of at most {@link MAX_INLINE_BODY} bytes. */
  text?: string
  /** Hexadecimal SHA-256 of a body stored in the directory beside the cassette. */
  body?: string
  trailers?: Readonly<Record<string, string>>
}

/** How a WebSocket was closed. */
export interface SocketClose {
  /** RFC 6455, section 7.4.1; 1005 without a status, 1006 without a close frame. */
  code: number
  reason: string
}

/** Error object of an answer (JSON-RPC 2.0, section 5.1). */
export interface RpcErrorObject {
  code: number
  message: string
  data?: unknown
}

/** How a call ended, or what a subscription pushed. Results are JSON text, which keeps digits that doubles lose. */
export type RecordedOutcome =
  | { resultText: string }
  /** The error object is kept as JSON text too, for the same reason. */
  | { error: RpcErrorObject; errorText: string }
  | { http: RecordedResponse }
  /** The provider's WebSocket closed before the answer. */
  | { close: SocketClose }
  | SubscriptionEvent

/** A notification, or the end of the WebSocket that carried notifications. */
export type SubscriptionEvent = {
  /** Number among the events of its subscription, from 1. */
  event: number
  /** Number of calls that may change the chain between the subscription and this event. */
  changes: number
} & (
  | { resultText: string }
  /** With the number of calls answered over WebSockets since the subscription. */
  | { close: SocketClose; calls: number }
)

/** One line of a cassette. */
export interface CassetteEntry {
  call: RecordedCall
  /** Number among the answers to equal calls, from 1; while recording, among all answers. */
  nth: number
  /** How many times in a row this answer was seen; 1 if absent. */
  times?: number
  /** Number of preceding calls that may change the chain; only for calls whose answers follow the chain. */
  after?: number
  outcome: RecordedOutcome
}

/** Answer part of an entry. */
export type EntryAnswer = Omit<CassetteEntry, 'call'>

/** Longer bodies are stored beside the cassette. */
export const MAX_INLINE_BODY = 64 * 1024

/** Serializes a value as JSON with members sorted by name, so that equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  const pieces: string[] = []
  runToCompletion(writeCanonicalJson(value, pieces))
  return pieces.join('')
}

/** Returns at least the first `length` characters of a value's canonical JSON. */
export function* canonicalStart(value: unknown, length: number): Steps<string> {
  const pieces: string[] = []
  let counted = 0
  let written = 0
  for (const _ of writeCanonicalJson(value, pieces)) {
    for (; counted < pieces.length; counted++) written += pieces[counted]!.length
    if (written >= length) break
    yield
  }
  return pieces.join('')
}

/** Members of an object or array written in one step. */
const MEMBERS_AT_ONCE = 64

/** Incremental version of {@link canonicalJson}, for parameters as long as a request. */
function* writeCanonicalJson(value: unknown, pieces: string[]): Steps<void> {
  if (isLong(value)) {
    for (const part of longString(value)) {
      pieces.push(part)
      yield
    }
    return
  }
  const room = { members: MEMBERS_AT_ONCE }
  const text = textOfFew(value, room)
  if (room.members >= 0) {
    pieces.push(text)
    return
  }
  const isList = Array.isArray(value)
  pieces.push(isList ? '[' : '{')
  let written = 0
  for (const name of isList ? value.keys() : yield* sortInSteps(keysOf(value as object), compareNames)) {
    const member = (value as Readonly<Record<string | number, unknown>>)[name]
    if (!isList && member === undefined) continue
    if (written > 0) pieces.push(',')
    if (!isList) pieces.push(textOfScalar(name), ':')
    yield* writeCanonicalJson(member, pieces)
    if (++written % MEMBERS_AT_ONCE === 0) yield
  }
  pieces.push(isList ? ']' : '}')
}

/**
 * Serializes a value with few members, nested ones included, in one step.
 *
 * @param room - counts down the members still allowed; below 0 the text is incomplete
 */
function textOfFew(value: unknown, room: { members: number }): string {
  if (isLong(value)) room.members = -1
  if (room.members < 0) return ''
  if (!isContainer(value)) return textOfScalar(value)
  let text = ''
  if (Array.isArray(value)) {
    room.members -= value.length
    for (let index = 0; index < value.length && room.members >= 0; index++) {
      text += (index === 0 ? '' : ',') + textOfFew(value[index], room)
    }
    return `[${text}]`
  }
  const keys = keysOf(value)
  room.members -= keys.length
  if (room.members < 0) return ''
  const names = keys.filter((name) => (value as Members)[name] !== undefined).sort(compareNames)
  for (let index = 0; index < names.length && room.members >= 0; index++) {
    const name = names[index]!
    const member = textOfFew((value as Members)[name], room)
    text += `${index === 0 ? '' : ','}${textOfScalar(name)}:${member}`
  }
  return `{${text}}`
}

function isLong(value: unknown): value is string {
  return typeof value === 'string' && value.length > STRING_AT_ONCE
}

/** Orders by UTF-16 code units. */
function compareNames(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

/** Text that needs no escapes in JSON. */
const plainText = /^[ !#-[\]-~]*$/

function textOfScalar(value: unknown): string {
  if (typeof value === 'string' && plainText.test(value)) return `"${value}"`
  return JSON.stringify(value) ?? 'null'
}

/** Returns whether a JSON value has members. */
export function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** Start of every entry. */
export const LINE_START = '{"call":'

/** Returns the common start of a call's lines: everything up to the answer. */
export function linePrefix(call: RecordedCall): string {
  return runToCompletion(linePrefixInSteps(call))
}

/** Incremental version of {@link linePrefix}. */
export function* linePrefixInSteps(call: RecordedCall): Steps<string> {
  const pieces = [LINE_START]
  const parts: string[] = []
  for (const _ of writeCanonicalJson(call, pieces)) {
    parts.push(pieces.splice(0).join(''))
    yield
  }
  // A joined string is found in a map several times as fast as a concatenated one.
  const prefix = (parts.length === 0 ? pieces : [...parts, ...pieces]).join('')
  if (parts.length > 0) yield
  return prefix
}

const subscriptionStart = /^\{"call":\["rpc","(?:[^"\\]|\\.)*","(?:[^"\\]|\\.)*_subscribe",/

/** Returns whether lines with this prefix are answers to subscriptions, which are followed by events. */
export function isSubscriptionPrefix(prefix: string): boolean {
  return subscriptionStart.test(prefix)
}

/** Returns a short hash of the call in a line prefix. */
export function* prefixHash(prefix: string): Steps<string> {
  const hash = createHash('sha256')
  let isFirst = true
  for (const part of partsOf(prefix.slice(LINE_START.length))) {
    if (!isFirst) yield
    isFirst = false
    hash.update(part)
  }
  return hash.digest('base64url').slice(0, 22)
}

/** Formats the line of an entry, without its end. */
export function formatEntry({ call, ...answer }: CassetteEntry): string {
  return linePrefix(call) + formatAnswer(answer)
}

/** Formats the part of an entry's line after the prefix. */
function formatAnswer({ nth, times, after, outcome }: EntryAnswer): string {
  return formatPlace({ nth, times, after }) + runToCompletion(outcomePieces(outcome)).join('')
}

/** Formats the members after the place, and closes the line's object. Long texts are pieces of their own. */
export function* outcomePieces(outcome: RecordedOutcome): Steps<readonly string[]> {
  const event = 'event' in outcome ? `"event":${outcome.event},"changes":${outcome.changes},` : ''
  if ('resultText' in outcome) return [`${event}"result":`, outcome.resultText, '}']
  if ('errorText' in outcome) return ['"error":', outcome.errorText, '}']
  const { calls, close, http } = outcome as Members
  const pieces: string[] = []
  yield* writeCanonicalJson({ calls, close, http }, pieces)
  return [`${event}${pieces[0]!.slice(1)}`, ...pieces.slice(1)]
}

const answerStart =
  /^,"nth":(\d+)(?:,"times":(\d+))?(?:,"after":(\d+))?,(?:"event":(\d+),"changes":(\d+),)?(?:"(result|error)":)?/

/**
 * Decodes the part of a line after the prefix, as this module writes it; use {@link parseEntry} for lines from
 * elsewhere.
 */
export function* parseAnswer(text: string): Steps<EntryAnswer> {
  const [start = '', nth, times, after, event, changes, member] = answerStart.exec(text) ?? []
  const outcome: Record<string, unknown> = {}
  if (event !== undefined) Object.assign(outcome, { event: Number(event), changes: Number(changes) })
  if (member === 'result') outcome['resultText'] = text.slice(start.length, -1)
  else if (member === 'error') {
    const errorText = text.slice(start.length, -1)
    Object.assign(outcome, { error: yield* parseJsonInSteps(errorText), errorText })
  } else Object.assign(outcome, yield* parseJsonInSteps(`{${text.slice(start.length)}`))
  return {
    nth: Number(nth),
    ...(times !== undefined && { times: Number(times) }),
    ...(after !== undefined && { after: Number(after) }),
    outcome: outcome as RecordedOutcome,
  }
}

/** Formats the members between call and outcome. */
export function formatPlace({ nth, times = 1, after = 0 }: Pick<CassetteEntry, 'nth' | 'times' | 'after'>) {
  return `,"nth":${nth},${times === 1 ? '' : `"times":${times},`}${after === 0 ? '' : `"after":${after},`}`
}

/**
 * Parses a line.
 *
 * @throws CassetteError with the line number if it is not an entry
 */
export function* parseEntry(text: string, path: string, line?: number): Steps<CassetteEntry> {
  let value: unknown
  try {
    value = yield* parseJsonInSteps(text)
  } catch {
    throw new CassetteError(path, 'is not valid JSON', line)
  }
  const reason = problemOf(value)
  if (reason !== undefined) throw new CassetteError(path, reason, line)
  const { call, nth, times, after, event, changes, result, ...others } = value as Omit<
    CassetteEntry,
    'outcome'
  > &
    Members
  const resultText = result === undefined ? undefined : yield* textOfMember(text, 'result')
  const errorText = others['error'] === undefined ? undefined : yield* textOfMember(text, 'error')
  const outcome = {
    ...(event !== undefined && { event, changes: changes ?? 0 }),
    ...(resultText === undefined ? others : { resultText }),
    ...(errorText !== undefined && { errorText }),
  } as RecordedOutcome
  return { call, nth, ...(times && { times }), ...(after && { after }), outcome }
}

/** Returns the compact source text of an object's member, or undefined. */
export function* textOfMember(text: string, name: string, start = 0): Steps<string | undefined> {
  const member = (yield* objectMembers(text, skipWhitespace(text, start))).findLast(
    (one) => one.name === name,
  )
  return member && (yield* compactJson(text.slice(member.start, member.end)))
}

/** Characters of JSON text that are compacted in one step. */
const COMPACTED_AT_ONCE = 256 * 1024

/** Removes whitespace between the tokens of JSON text. */
function* compactJson(text: string): Steps<string> {
  if (text.length <= COMPACTED_AT_ONCE) return withoutSpaces(text)
  const pieces: string[] = []
  let isCompact = true
  /** The first quote that is not before `index`. */
  let quote = -1
  for (let start = 0, index = 0; start < text.length;) {
    // Between tokens or inside a number, where the text may be cut.
    if (quote < index) quote = indexOrEnd(text, '"', index)
    const end = Math.min(quote, start + COMPACTED_AT_ONCE)
    const next = end < quote ? end : (endOfPlainString(text, quote) ?? (yield* endOfString(text, quote)))
    index = Math.min(next, text.length)
    if (index - start < COMPACTED_AT_ONCE && index < text.length) continue
    // A string as long as that is not searched for spaces.
    const isString = index - quote >= COMPACTED_AT_ONCE
    const before = text.slice(start, isString ? quote : index)
    pieces.push(withoutSpaces(before), isString ? text.slice(quote, index) : '')
    isCompact &&= pieces.at(-2) === before
    start = index
    yield
  }
  return isCompact ? text : pieces.join('')
}

function indexOrEnd(text: string, searched: string, from: number): number {
  const index = text.indexOf(searched, from)
  return index === -1 ? text.length : index
}

function withoutSpaces(text: string): string {
  return /\s/.test(text) ? text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1') : text
}

/** Returns why a value is not an entry; undefined if it is. */
function problemOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'is not an object'
  const { cassette, call, nth, times, after, event, result, error, http, close } = value as Members
  if (cassette !== undefined) return 'is a second header'
  if (!isCall(call)) {
    return 'call: expected ["rpc", network, method, params] or ["files", request, headers, body hash]'
  }
  if (!isCount(nth)) return 'nth: expected a whole number from 1'
  if (times !== undefined && !isCount(times)) return 'times: expected a whole number from 1'
  if (after !== undefined && !isCount(after)) return 'after: expected a whole number from 1'
  if (event !== undefined && !isCount(event)) return 'event: expected a whole number from 1'
  const outcomes = [result, error, http, close].filter((outcome) => outcome !== undefined)
  if (outcomes.length !== 1) return 'expected exactly one of result, error, http and close'
  if (!hasMembers(error, { code: 'number', message: 'string' })) return 'error: expected code and message'
  if (!hasMembers(http, { status: 'number', headers: 'object' })) return 'http: expected status and headers'
  if (!hasMembers(close, { code: 'number', reason: 'string' })) return 'close: expected code and reason'
  return undefined
}

type Members = Readonly<Record<string, unknown>>

function isCall(call: unknown): boolean {
  if (!Array.isArray(call) || call.length !== 4 || typeof call[1] !== 'string') return false
  const [kind, , third, fourth] = call as unknown[]
  if (kind === 'rpc') return typeof third === 'string'
  return kind === 'files' && typeof third === 'object' && third !== null && typeof fourth === 'string'
}

/** Returns whether a value has members of these types; true if it is missing. */
function hasMembers(value: unknown, types: Readonly<Record<string, string>>): boolean {
  if (value === undefined) return true
  const members = (value ?? {}) as Members
  return Object.entries(types).every(
    ([name, type]) => members[name] !== null && typeof members[name] === type,
  )
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 1
}
