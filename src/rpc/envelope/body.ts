import {
  JsonLimitError,
  callLimits,
  MAX_NESTING,
  parseElementsInSteps,
  parseJsonInSteps,
} from '../../encoding/json.js'
import { skipWhitespace } from '../../encoding/jsonText.js'
import {
  type Awaitable,
  type Lane,
  type Steps,
  TimeSlice,
  lanes,
  orElse,
  runInSlices,
  runToCompletion,
} from '../../encoding/timeSlice.js'
import { InvalidRequestError, ParseError, type RpcError } from '../errors.js'
import { decodeChunks } from './decodeChunks.js'
import { arrayElements, removeSpans, objectMembers, scanStructure } from './scan.js'

/** Parsed request body. */
export type Body =
  | { kind: 'empty' }
  /** With its source text. */
  | { kind: 'single'; message: Message; text: string }
  | { kind: 'batch'; messages: Message[] }

/** What is longer (bytes or characters) is parsed, and its arguments decoded, in slices, between other requests. */
export const READ_AT_ONCE = 16 * 1024

/** Calls and results longer than this (bytes or characters) count as large. The journal keeps no parameters of them. */
export const LARGE_CALL = 256 * 1024

/**
 * Maximum characters of a call, except of a method that takes a file. Where a key is needed, a whole body may not be
 * longer either.
 */
const MAX_CALL_LENGTH = 32 * 1024 * 1024
const fileMethods = /_(loadState|addCompilationResult|importBlocks)$/

/** Returns the refusal of a message that is too long for its method; undefined if it is not. */
export function refusalOfLength({ method, length }: Message): RpcError | undefined {
  if (length <= MAX_CALL_LENGTH || fileMethods.test(method ?? '')) return undefined
  return new InvalidRequestError(`content length too large (${length}>${MAX_CALL_LENGTH})`)
}

/** Parses a request body, in slices if it is long. @param maxBatch - see {@link readBodyInSteps} */
export function readEnvelope(body: Uint8Array | string, maxBatch: number): Awaitable<Body | ParseError> {
  const read = () =>
    body.length > READ_AT_ONCE
      ? runInSlices(readBodyInSteps(body, maxBatch), new TimeSlice())
      : readBody(body)
  return orElse<Body | ParseError>(read, (error) => {
    if (error instanceof ParseError) return error
    throw error
  })
}

/**
 * Parses a request body (geth: rpc/json.go).
 *
 * @throws ParseError if the body is not JSON or is nested too deeply
 */
export function readBody(body: Uint8Array | string): Body {
  const text = typeof body === 'string' ? body : decodeText(body)
  const start = skipWhitespace(text, 0)
  if (start === text.length) return { kind: 'empty' }
  // Most texts are too short to nest that deeply.
  if (text.length > MAX_NESTING && runToCompletion(scanStructure(text)).isTooDeep) throw new ParseError()
  const value = parse(text)
  if (Array.isArray(value)) return { kind: 'batch', messages: runToCompletion(readBatch(value, text, start)) }
  return { kind: 'single', message: readMessage(value, wholeText(text, start)), text }
}

/**
 * Incremental version of {@link readBody}: yields between pieces.
 *
 * @param maxBatch - of a batch of more messages, only the first of them and the first call are kept
 */
export function* readBodyInSteps(body: Uint8Array | string, maxBatch = Infinity): Steps<Body> {
  const whole = typeof body === 'string' ? body : yield* decodeChunks([body])
  const { isTooDeep, longSpaces } = yield* scanStructure(whole)
  const text = removeSpans(whole, longSpaces)
  const start = skipWhitespace(text, 0)
  if (start === text.length) return { kind: 'empty' }
  if (isTooDeep) throw new ParseError()
  if (text.charAt(start) === '[') return { kind: 'batch', messages: yield* readBatchInSteps(text, maxBatch) }
  const value = yield* parseInSteps(text)
  const message = yield* readMessageInSteps(value, wholeText(text, start))
  return { kind: 'single', message, text: whole }
}

/** The start of a call that changes nothing, as clients write it, and whether it reads a record or two. */
const readCall =
  /^\{[^{[]*"method" ?: ?"(?:(eth_(?:block|chainId|gasPrice|get(?:Balance|Code|StorageAt|Transaction))|net_)|debug_(?:get|trace)|eth_(?!getFilter|new|resend|send|submit|uninstall)|ots_|trace_|web3_)/
/** Characters within which such a call names its method. */
const START_LENGTH = 128

/** Returns the lane in which a body waits for its turn. Calls that may change something keep their order. */
export function laneOf(body: Uint8Array | string): Lane {
  const start = body.slice(0, START_LENGTH)
  const [known, isLookup] = readCall.exec(typeof start === 'string' ? start : decodeText(start)) ?? []
  if (known === undefined) return lanes.changes
  return isLookup === undefined ? lanes.reads : lanes.lookups
}

function wholeText(text: string, start: number): MessageText {
  return { text, start, length: text.length - start, plain: !text.includes('\\') }
}

function decodeText(body: Uint8Array): string {
  const bytes = body instanceof Buffer ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  return bytes.toString('utf8')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ParseError()
  }
}

function* parseInSteps(text: string): Steps<unknown> {
  try {
    return yield* parseJsonInSteps(text, { limits: callLimits })
  } catch (error) {
    throw toParseError(error)
  }
}

function toParseError(error: unknown): unknown {
  if (error instanceof JsonLimitError) return new ParseError(error.message)
  return error instanceof SyntaxError ? new ParseError() : error
}

/** Messages of a batch read per piece. */
const MESSAGES_AT_ONCE = 512
/** Characters of a message of a long batch up to which its parameters are kept until it is answered. */
const MAX_KEPT_LENGTH = 4096

/** A message, reduced to what JSON-RPC 2.0 needs. */
export interface Message {
  /** Whether `jsonrpc` is "2.0". */
  versionValid: boolean
  /** Source text of the id; undefined if there is none that can be echoed. */
  id: string | undefined
  /** Whether the member `id` is absent, as in a notification. */
  idAbsent: boolean
  /** Empty if there is none. */
  method: string
  /** Undefined if the member is absent. Empty if they are to be read from {@link paramsText}. */
  params: unknown
  /**
   * Source text of a message whose parameters are parsed again when it is answered: values in memory take up to forty
   * times as much as their text, and the messages of a batch are answered one after another.
   */
  paramsText?: string
  /** Whether there is a `result` or `error` member. */
  answers: boolean
  /** Characters from its start to the next message. */
  length: number
}

/** Position of a message in its JSON text. */
export interface MessageText {
  text: string
  start: number
  /** Up to the next message or the end of the text. */
  length: number
  /** Whether it is known to contain no escapes. */
  plain: boolean
}

/** Whether a message expects an answer. */
export function isCall(message: Message): boolean {
  return message.versionValid && message.id !== undefined && message.method !== ''
}

/** Whether a message is a call without an answer. */
export function isNotification(message: Message): boolean {
  return message.versionValid && message.idAbsent && message.method !== ''
}

/** Whether a message is a response; the node itself makes no calls. */
export function isResponse(message: Message): boolean {
  const { versionValid, id, method, params, answers } = message
  return versionValid && id !== undefined && method === '' && params === undefined && answers
}

function emptyMessage(length: number): Message {
  return {
    versionValid: false,
    id: undefined,
    idAbsent: true,
    method: '',
    params: undefined,
    answers: false,
    length,
  }
}

/**
 * Reads the message parsed as `value`.
 *
 * Of duplicate members the last of the right type wins. The id keeps its source text, so that numbers beyond 2^53
 * survive (geth: rpc/json.go, fillMessage).
 */
function readMessage(value: unknown, place: MessageText): Message {
  return readValue(value, place) ?? runToCompletion(readMembers(value as Members, place))
}

/** Incremental version of {@link readMessage}: yields between pieces. */
function* readMessageInSteps(value: unknown, place: MessageText): Steps<Message> {
  return readValue(value, place) ?? (yield* readMembers(value as Members, place))
}

type Members = Readonly<Record<string, unknown>>

/** Members that matter. A message may have a million others. */
const memberNames = ['jsonrpc', 'id', 'method', 'params', 'result', 'error']

/** Reads a message by its value; undefined if the value is an object whose source text is needed. */
function readValue(value: unknown, { text, length, plain }: MessageText): Message | undefined {
  const message = emptyMessage(length)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return message
  const members = value as Members
  for (const name of memberNames) {
    const member = members[name]
    if (member === undefined) continue
    if (name === 'id') {
      message.idAbsent = false
      if (typeof member === 'string' && member.length > MAX_ID_LENGTH) continue
      message.id = idText(member, text, plain)
      if (message.id === undefined && isScalar(member)) return undefined
    } else if (keepsEarlier(name, member)) return undefined
    else setMember(message, name, member)
  }
  return message
}

function setMember(message: Message, name: string, value: unknown): void {
  if (name === 'jsonrpc') message.versionValid = value === '2.0'
  else if (name === 'method') message.method = typeof value === 'string' ? value : ''
  else if (name === 'params') message.params = value
  else if (name === 'result' || name === 'error') message.answers = true
}

/** Whether a member has no string, so that an earlier member of the same name counts, as in Go's decoder. */
function keepsEarlier(name: string, value: unknown): boolean {
  return (name === 'jsonrpc' || name === 'method') && typeof value !== 'string'
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null
}

/** Maximum characters of an id. A message with a longer one is invalid, like one with an object as its id. */
const MAX_ID_LENGTH = 64 * 1024

/** Characters of a message that are searched in one step for its id. */
const MAX_SEARCHED_LENGTH = 1024 * 1024

/** Returns the source text of an id if the value determines it; undefined if the text must be scanned. */
function idText(value: unknown, text: string, plain: boolean): string | undefined {
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return plain ? `"${value}"` : undefined
  if (typeof value !== 'number' || !plain || text.length > MAX_SEARCHED_LENGTH) return undefined
  const member = text.indexOf('"id"')
  if (text.indexOf('"id"', member + 4) !== -1) return undefined
  const start = skipWhitespace(text, skipWhitespace(text, member + 4) + 1)
  const digits = String(value)
  const following = text.charAt(start + digits.length)
  return text.startsWith(digits, start) && (following === ',' || following === '}') ? digits : undefined
}

/** Reads a message with the help of its source text. */
function* readMembers(values: Members, { text, start, length }: MessageText): Steps<Message> {
  const message = emptyMessage(length)
  for (const name of memberNames) if (values[name] !== undefined) setMember(message, name, values[name])
  for (const member of yield* objectMembers(text, start)) {
    const source = text.slice(member.start, member.end)
    if (keepsEarlier(member.name, values[member.name]) && source.startsWith('"')) {
      setMember(message, member.name, JSON.parse(source))
    }
    if (member.name !== 'id') continue
    message.idAbsent = false
    message.id = source.length > MAX_ID_LENGTH + 2 || /^[{[]/.test(source) ? undefined : source
  }
  return message
}

/** Reads the messages of a batch; `values` is the parsed array that begins at `start`. */
function* readBatch(values: readonly unknown[], text: string, start: number): Steps<Message[]> {
  const starts = yield* arrayElements(text, start)
  const messages: Message[] = []
  for (const [index, value] of values.entries()) {
    const from = starts[index] ?? start
    const place = { text, start: from, length: (starts[index + 1] ?? text.length) - from, plain: false }
    messages.push(yield* readMessageInSteps(value, place))
  }
  return messages
}

/** Reads the messages of a long batch, without keeping their long parameters. */
function* readBatchInSteps(text: string, maxBatch: number): Steps<Message[]> {
  const messages: Message[] = []
  let [count, hasCall] = [0, false]
  function* take(values: readonly unknown[], starts: readonly number[], next: number): Steps<void> {
    for (const [index, value] of values.entries()) {
      const start = skipWhitespace(text, starts[index] ?? 0)
      const end = starts[index + 1] ?? next
      const place = { text, start, length: skipWhitespace(text, end) - start, plain: false }
      const message = yield* readMessageInSteps(value, place)
      if (Array.isArray(message.params) && place.length > MAX_KEPT_LENGTH) {
        message.params = []
        message.paramsText = text.slice(start, end - 1)
      }
      if (messages.length <= maxBatch || (!hasCall && isCall(message))) messages.push(message)
      hasCall ||= isCall(message)
      if (++count % MESSAGES_AT_ONCE === 0) yield
    }
  }
  try {
    yield* parseElementsInSteps(text, take, { limits: callLimits })
  } catch (error) {
    throw toParseError(error)
  }
  return messages
}

/** Returns the parameters of a message, parsed in pieces if they are long. */
export function paramsOf({ params, paramsText: text }: Message): Awaitable<unknown> {
  if (text === undefined) return params
  if (text.length <= READ_AT_ONCE) return (JSON.parse(text) as Members).params
  return runInSlices(parseJsonInSteps(text), new TimeSlice()).then((members) => (members as Members).params)
}

/** Returns messages with all parameters. */
export async function withParams(messages: readonly Message[]): Promise<Message[]> {
  const complete: Message[] = []
  const slice = new TimeSlice()
  for (const message of messages) {
    const { paramsText, ...others } = message
    complete.push(paramsText === undefined ? message : { ...others, params: await paramsOf(message) })
    const pause = slice.pause()
    if (pause !== undefined) await pause
  }
  return complete
}
