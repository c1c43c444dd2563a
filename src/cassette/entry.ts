import { createHash } from 'node:crypto'
import { parseJsonInSlices, skipWhitespace } from '../encoding/json.js'
import { type Steps, runToCompletion } from '../encoding/timeSlice.js'
import { objectMembers } from '../rpc/envelope/scan.js'
import { CassetteError } from './lines.js'

/** The format's version. A file with a greater one is refused. */
export const CASSETTE_VERSION = 1

/** What a request asked for; entries of equal calls are answered in the order in which they were recorded. */
export type RecordedCall =
  | readonly [kind: 'rpc', network: string, method: string, params: unknown]
  | readonly [kind: 'files', request: string, headers: Readonly<Record<string, string>>, bodyHash: string]

/** An HTTP answer that stands in place of a JSON-RPC answer, or an answer of the file network. */
export interface RecordedResponse {
  status: number
  headers: Readonly<Record<string, string>>
  /** Text of at most {@link LONGEST_INLINE_BODY} bytes. */
  text?: string
  /** Hexadecimal SHA-256 of a body that lies in the folder beside the cassette. */
  body?: string
  trailers?: Readonly<Record<string, string>>
}

/** How a WebSocket ended. */
export interface SocketClose {
  /** RFC 6455, section 7.4.1; 1005 without a status, 1006 without a close frame. */
  code: number
  reason: string
}

/** The error object of an answer (JSON-RPC 2.0, section 5.1). */
export interface RpcErrorObject {
  code: number
  message: string
  data?: unknown
}

/** How a call ended, or what a subscription pushed. Results are JSON text: numbers keep digits that doubles do not have. */
export type RecordedOutcome =
  | { resultText: string }
  /** With the error object as JSON text, for the same reason. */
  | { error: RpcErrorObject; errorText: string }
  | { http: RecordedResponse }
  /** The provider's WebSocket ended before the answer. */
  | { close: SocketClose }
  | SubscriptionEvent

/** A notification, or the end of the WebSocket that notifications came by. */
export type SubscriptionEvent = {
  /** The place among the events of its subscription, from 1. */
  event: number
  /** How many calls that may change the chain were made between the subscription and this event. */
  changes: number
} & (
  | { resultText: string }
  /** With the number of calls over WebSockets that were answered since the subscription. */
  | { close: SocketClose; calls: number }
)

/** One line of a cassette. */
export interface CassetteEntry {
  call: RecordedCall
  /** The place among the answers to equal calls, from 1; while they are recorded, among all answers. */
  nth: number
  /** How many times in a row this answer was seen; 1 if absent. */
  times?: number
  /** How many calls that may change the chain had been made before; of calls whose answers follow the chain. */
  after?: number
  outcome: RecordedOutcome
}

/** What an entry says of the answer. */
export type EntryAnswer = Omit<CassetteEntry, 'call'>

/** Longer bodies lie beside the cassette. */
export const LONGEST_INLINE_BODY = 64 * 1024

/** JSON text with object members in the order of their names, so that equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  const pieces: string[] = []
  runToCompletion(writeCanonicalJson(value, pieces))
  return pieces.join('')
}

/** Members of an object or array that are written in one step. */
const MEMBERS_AT_ONCE = 64

/** Adds the pieces of the same text in steps: parameters may be as long as a request. */
function* writeCanonicalJson(value: unknown, pieces: string[]): Steps<void> {
  const room = { members: MEMBERS_AT_ONCE }
  const text = textOfFew(value, room)
  if (room.members >= 0) {
    pieces.push(text)
    return
  }
  const isList = Array.isArray(value)
  let written = 0
  for (const name of isList ? value.keys() : namesOf(value as object)) {
    pieces.push(written > 0 ? ',' : isList ? '[' : '{')
    if (!isList) pieces.push(textOfScalar(name), ':')
    yield* writeCanonicalJson((value as Readonly<Record<string | number, unknown>>)[name], pieces)
    if (++written % MEMBERS_AT_ONCE === 0) yield
  }
  pieces.push(isList ? ']' : '}')
}

/**
 * The same text at once, of a value that has few members together with theirs.
 *
 * @param room - counts down how many more there may be; below 0 the text is not complete
 */
function textOfFew(value: unknown, room: { members: number }): string {
  if (!isContainer(value)) return textOfScalar(value)
  let text = ''
  if (Array.isArray(value)) {
    room.members -= value.length
    for (let index = 0; index < value.length && room.members >= 0; index++) {
      text += (index === 0 ? '' : ',') + textOfFew(value[index], room)
    }
    return `[${text}]`
  }
  const names = namesOf(value)
  room.members -= names.length
  for (let index = 0; index < names.length && room.members >= 0; index++) {
    const name = names[index]!
    const member = textOfFew((value as Members)[name], room)
    text += `${index === 0 ? '' : ','}${textOfScalar(name)}:${member}`
  }
  return `{${text}}`
}

/** The names of members that have a value, in their order. */
function namesOf(value: object): string[] {
  const names = Object.keys(value).filter((name) => (value as Members)[name] !== undefined)
  return names.sort()
}

/** Text that JSON has as it is. */
const plainText = /^[ !#-[\]-~]*$/

function textOfScalar(value: unknown): string {
  if (typeof value === 'string' && plainText.test(value)) return `"${value}"`
  return JSON.stringify(value) ?? 'null'
}

/** Whether a JSON value has members. */
export function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** What every entry begins with. */
export const LINE_START = '{"call":'

/** The beginning of the lines of a call: everything up to the answer. */
export function linePrefix(call: RecordedCall): string {
  return runToCompletion(linePrefixInSlices(call))
}

/** The same in steps. */
export function* linePrefixInSlices(call: RecordedCall): Steps<string> {
  const pieces = [LINE_START]
  yield* writeCanonicalJson(call, pieces)
  // What is joined is found in a map several times as fast as what was added up.
  return pieces.join('')
}

const subscriptionStart = /^\{"call":\["rpc","(?:[^"\\]|\\.)*","(?:[^"\\]|\\.)*_subscribe",/

/** Whether lines with this beginning are answers to subscriptions, whose events follow them. */
export function isOfSubscription(prefix: string): boolean {
  return subscriptionStart.test(prefix)
}

/** A short name of the call that lines begin with: equal calls have the same. */
export function prefixHash(prefix: string): string {
  return createHash('sha256').update(prefix.slice(LINE_START.length)).digest('base64url').slice(0, 22)
}

/** The line of an entry, without its end. */
export function formatEntry({ call, ...answer }: CassetteEntry): string {
  return linePrefix(call) + formatAnswer(answer)
}

/** What follows the prefix in the line of an entry. */
export function formatAnswer({ nth, times, after, outcome }: EntryAnswer): string {
  return formatPlace({ nth, times, after }) + formatOutcome(outcome)
}

/** The members behind the place, with the end of the line's value. */
export function formatOutcome(outcome: RecordedOutcome): string {
  const event = 'event' in outcome ? `"event":${outcome.event},"changes":${outcome.changes},` : ''
  if ('resultText' in outcome) return `${event}"result":${outcome.resultText}}`
  if ('errorText' in outcome) return `"error":${outcome.errorText}}`
  const { calls, close, http } = outcome as Members
  return `${event}${canonicalJson({ calls, close, http }).slice(1)}`
}

const answerStart =
  /^,"nth":(\d+)(?:,"times":(\d+))?(?:,"after":(\d+))?,(?:"event":(\d+),"changes":(\d+),)?(?:"(result|error)":)?/

/** Reads what {@link formatAnswer} wrote; what others wrote is read by {@link parseEntry}. */
export function* parseAnswer(text: string): Steps<EntryAnswer> {
  const [start = '', nth, times, after, event, changes, member] = answerStart.exec(text) ?? []
  const outcome: Record<string, unknown> = {}
  if (event !== undefined) Object.assign(outcome, { event: Number(event), changes: Number(changes) })
  if (member === 'result') outcome['resultText'] = text.slice(start.length, -1)
  else if (member === 'error') {
    const errorText = text.slice(start.length, -1)
    Object.assign(outcome, { error: yield* parseJsonInSlices(errorText), errorText })
  } else Object.assign(outcome, yield* parseJsonInSlices(`{${text.slice(start.length)}`))
  return {
    nth: Number(nth),
    ...(times !== undefined && { times: Number(times) }),
    ...(after !== undefined && { after: Number(after) }),
    outcome: outcome as RecordedOutcome,
  }
}

/** The members between the call and the outcome. */
export function formatPlace({ nth, times = 1, after = 0 }: Pick<CassetteEntry, 'nth' | 'times' | 'after'>) {
  return `,"nth":${nth},${times === 1 ? '' : `"times":${times},`}${after === 0 ? '' : `"after":${after},`}`
}

/**
 * Reads a line.
 *
 * @throws CassetteError with the line's number if it is no entry
 */
export function* parseEntry(text: string, path: string, line?: number): Steps<CassetteEntry> {
  let value: unknown
  try {
    value = yield* parseJsonInSlices(text)
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

/** The compact source text of a member of an object; undefined if there is none. */
export function* textOfMember(text: string, name: string, start = 0): Steps<string | undefined> {
  const member = (yield* objectMembers(text, skipWhitespace(text, start))).findLast(
    (one) => one.name === name,
  )
  return member && compactJson(text.slice(member.start, member.end))
}

/** JSON text without white space between its tokens. */
function compactJson(text: string): string {
  return /\s/.test(text) ? text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1') : text
}

/** Why a value is no entry; undefined if it is one. */
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

/** Whether a value that may be missing has members of these types. */
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
