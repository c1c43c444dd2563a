import { createHash } from 'node:crypto'
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

/** How a call ended, or what a subscription pushed. */
export type RecordedOutcome =
  | { result: unknown }
  | { error: { code: number; message: string; data?: unknown } }
  | { http: RecordedResponse }
  | {
      /** The place of the notification among those of its subscription, from 1. */
      event: number
      /** How many calls that may change the chain were made between the subscription and this notification. */
      changes: number
      result: unknown
    }

/** One line of a cassette. */
export interface CassetteEntry {
  call: RecordedCall
  /** The place among the answers to equal calls, from 1. */
  nth: number
  /** How many times in a row this answer was seen; 1 if absent. */
  times?: number
  /** How many calls that may change the chain had been made before; of calls whose answers follow the chain. */
  after?: number
  outcome: RecordedOutcome
}

/** Longer bodies lie beside the cassette. */
export const LONGEST_INLINE_BODY = 64 * 1024

/** JSON text with object members in the order of their names, so that equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`
}

const LINE_START = '{"call":'

/** The beginning of the lines of a call: everything up to the answer. */
export function linePrefix(call: RecordedCall): string {
  return `${LINE_START}${canonicalJson(call)}`
}

/** A short name of a call: equal calls have the same. */
export function callHash(call: RecordedCall): string {
  return createHash('sha256').update(canonicalJson(call)).digest('base64url').slice(0, 22)
}

/** The line of an entry, without its end. */
export function formatEntry({ call, nth, times = 1, after = 0, outcome }: CassetteEntry): string {
  const repeated = times === 1 ? '' : `,"times":${times}`
  const placed = after === 0 ? '' : `,"after":${after}`
  return `${linePrefix(call)},"nth":${nth}${repeated}${placed},${canonicalJson(outcome).slice(1)}`
}

/**
 * Reads a line.
 *
 * @throws CassetteError with the line's number if it is no entry
 */
export function parseEntry(text: string, path: string, line: number): CassetteEntry {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new CassetteError(path, 'is not valid JSON', line)
  }
  const reason = problemOf(value)
  if (reason !== undefined) throw new CassetteError(path, reason, line)
  const { call, nth, times, after, ...outcome } = value as Omit<CassetteEntry, 'outcome'> & RecordedOutcome
  return {
    call,
    nth,
    ...(times !== undefined && { times }),
    ...(after !== undefined && { after }),
    outcome: outcome,
  }
}

/** Why a value is no entry; undefined if it is one. */
function problemOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'is not an object'
  const { call, nth, times, after, result, error, http, event } = value as Record<string, unknown>
  if (!Array.isArray(call) || call.length !== 4 || (call[0] !== 'rpc' && call[0] !== 'files')) {
    return 'call: expected ["rpc", network, method, params] or ["files", request, headers, body hash]'
  }
  if (!isCount(nth)) return 'nth: expected a whole number from 1'
  if (times !== undefined && !isCount(times)) return 'times: expected a whole number from 1'
  if (after !== undefined && !isCount(after)) return 'after: expected a whole number from 1'
  if (event !== undefined && !isCount(event)) return 'event: expected a whole number from 1'
  const outcomes = [result, error, http].filter((outcome) => outcome !== undefined)
  if (outcomes.length !== 1) return 'expected exactly one of result, error and http'
  if (error !== undefined) {
    const { code, message } = (error ?? {}) as Record<string, unknown>
    if (typeof code !== 'number' || typeof message !== 'string') return 'error: expected code and message'
  }
  if (http !== undefined) {
    const { status, headers } = (http ?? {}) as Record<string, unknown>
    if (typeof status !== 'number' || typeof headers !== 'object') return 'http: expected status and headers'
  }
  return undefined
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 1
}

/**
 * Where the call of a line ends, as an offset in bytes: the part that lines of equal calls share. The whole length if the
 * line has no call.
 */
export function prefixLength(line: Uint8Array): number {
  let depth = 0
  let inString = false
  for (let i = LINE_START.length; i < line.length; i++) {
    const byte = line[i]
    if (inString) {
      if (byte === 0x5c) i++
      else if (byte === 0x22) inString = false
    } else if (byte === 0x22) inString = true
    else if (byte === 0x5b || byte === 0x7b) depth++
    else if ((byte === 0x5d || byte === 0x7d) && --depth === 0) return i + 1
  }
  return line.length
}

/** The order of lines in a closed cassette: by call, then as they were recorded. */
export function compareLines(a: Uint8Array, b: Uint8Array): number {
  const [aEnd, bEnd] = [prefixLength(a), prefixLength(b)]
  const byCall = Buffer.compare(a.subarray(0, aEnd), b.subarray(0, bEnd))
  if (byCall !== 0) return byCall
  return placeOf(a, aEnd) - placeOf(b, bEnd) || eventOf(a, aEnd) - eventOf(b, bEnd)
}

function placeOf(line: Uint8Array, end: number): number {
  return numberAfter(line, ',"nth":', end)
}

/** The outcome of a notification begins with its place; other outcomes come before all notifications. */
function eventOf(line: Uint8Array, end: number): number {
  const head = Buffer.from(line.buffer, line.byteOffset + end, Math.min(64, line.length - end)).toString(
    'latin1',
  )
  const match = /^,"nth":\d+(?:,"times":\d+)?(?:,"after":\d+)?,"event":(\d+)/.exec(head)
  return match === null ? 0 : Number(match[1])
}

function numberAfter(line: Uint8Array, name: string, start: number): number {
  let value = 0
  for (let i = start + name.length; i < line.length; i++) {
    const digit = line[i]! - 0x30
    if (digit < 0 || digit > 9) break
    value = value * 10 + digit
  }
  return value
}
