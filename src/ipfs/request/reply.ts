import { joinBytes, joinInSteps } from '../../encoding/hex.js'
import { STRING_AT_ONCE, longString, partsOf } from '../../encoding/jsonWriter.js'
import { type Awaitable, TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import { bytesOfText, withReplacements } from '../../encoding/byteText.js'
import { errorText } from '../../encoding/errorText.js'
import { EndOfDataError, FileNetworkError, RequestError } from '../errors.js'
import { kuboVersion } from '../version.js'
import type { Output } from './command.js'
import { jsonPieces } from './jsonPieces.js'

/** The answer to a request, independent of the transport. */
export interface CommandReply {
  status: number
  headers: Record<string, string>
  body: AsyncIterable<Uint8Array> | Uint8Array
  /** Whether the next piece reuses a piece's memory, so that each is valid only until the next is requested. */
  reusesBuffer?: boolean
  /** Trailers, available after the body has ended: `X-Stream-Error` if it was cut short. */
  trailers?: () => Record<string, string>
}

/** Protocol headers that web pages may read (go-ipfs-cmds, `http/responseemitter.go`). */
const exposedHeaders = 'X-Stream-Output, X-Chunked-Output, X-Content-Length'

/** The header that identifies the Kubo release. */
export const serverHeader = { Server: `kubo/${kuboVersion}` }

/** Headers of every reply of a command that ran. */
const commandHeaders = {
  'Access-Control-Allow-Headers': exposedHeaders,
  'Access-Control-Expose-Headers': exposedHeaders,
  ...serverHeader,
  Trailer: 'X-Stream-Error',
  Vary: 'Origin',
}

/** Replies with an error before any command ran: text and a newline, like Go's `http.Error`. */
export function textReply(status: number, text: string): CommandReply {
  const body = bytesOfText(`${text}\n`)
  return {
    status,
    headers: {
      'Content-Type': 'text/plain; charset=utf-8',
      'Content-Length': String(body.length),
      'X-Content-Type-Options': 'nosniff',
      Vary: 'Origin',
    },
    body,
  }
}

/** Encoding of a command's values and errors. */
export interface ReplyEncoding {
  contentType: string
  /** Encodes the only value. */
  single(value: unknown): Promise<Uint8Array>
  /** Encodes one of many values; yields meanwhile if it is long. */
  line(value: unknown): Awaitable<Uint8Array>
  /** @param code - cause as numbered by go-ipfs-cmds: 1 is the client's fault */
  failure(message: string, code: number): Promise<Uint8Array>
}

/** The default encoding. */
export const jsonEncoding: ReplyEncoding = {
  contentType: 'application/json',
  single: goJsonBytes,
  line: (value) => (isLong(value) ? goJsonBytes(value) : Buffer.from(goJsonLine(value))),
  failure: (message, code) => encodeInSlices(failurePieces(message, code), bytesOfText),
}

/**
 * Creates the encoding `text`.
 *
 * @param write - formats a value, as one string or in pieces
 */
export function textEncoding(write: (value: unknown) => string | Iterable<string>): ReplyEncoding {
  const pieces = (value: unknown): Iterable<string> => {
    const text = write(value)
    return typeof text === 'string' ? [text] : text
  }
  return {
    contentType: 'text/plain',
    single: (value) => encodeInSlices(pieces(value), bytesOfText),
    line: (value) => encodeInSlices(pieces(value), bytesOfText),
    failure: (message) => encodeInSlices(partsOf(message), bytesOfText),
  }
}

/** Replies with the error of a command that failed before any output. Its message may have megabytes. */
export async function errorReply(error: unknown, encoding = jsonEncoding): Promise<CommandReply> {
  const code = error instanceof FileNetworkError ? error.code : error instanceof RequestError ? 1 : 0
  return {
    status: code === 1 ? 400 : 500,
    headers: { ...commandHeaders, 'Content-Type': encoding.contentType },
    body: await encoding.failure(errorText(error), code),
  }
}

/**
 * Replies with a command's output. Awaits the first value, so that a command that fails before it gets an error status.
 *
 * @throws the error with which the output failed before its first value
 */
export async function outputReply(output: Output, encoding = jsonEncoding): Promise<CommandReply> {
  const { contentType, line } = encoding
  switch (output.kind) {
    case 'single':
      return singleReply(output.value, encoding)
    case 'values':
      return linesReply(output.values, contentType, line)
    case 'valueGroups':
      return linesReply(output.groups, contentType, (group) => encodeGroup(group, line))
    case 'bytes':
      return {
        ...streamReply(output.bytes, {
          'Content-Type': output.contentType,
          'X-Stream-Output': '1',
          ...(output.length === undefined ? {} : { 'X-Content-Length': String(output.length) }),
        }),
        reusesBuffer: output.reusesBuffer === true,
      }
  }
}

async function singleReply(value: unknown, { contentType, single }: ReplyEncoding): Promise<CommandReply> {
  const headers = { 'Content-Type': contentType }
  try {
    return { status: 200, headers: { ...commandHeaders, ...headers }, body: await single(value) }
  } catch (error) {
    // Formatting a value as text may fail, after Kubo has begun the answer.
    return streamReply(failing(error), headers)
  }
}

// eslint-disable-next-line require-yield -- an answer of nothing but its end
async function* failing(error: unknown): AsyncGenerator<never> {
  throw error
}

/** Converts text to a header value like Go: UTF-8 bytes, with control characters as spaces. */
export function headerText(text: string): string {
  // eslint-disable-next-line no-control-regex -- Node refuses these in headers
  return Buffer.from(bytesOfText(text.replace(/[\x00-\x1f\x7f]/g, ' '))).toString('latin1')
}

function streamReply(source: AsyncIterable<Uint8Array>, headers: Record<string, string>): CommandReply {
  let failure: string | undefined
  async function* body(): AsyncGenerator<Uint8Array> {
    try {
      yield* source
    } catch (error) {
      if (error instanceof EndOfDataError) return
      failure = headerText(errorText(error))
    }
  }
  return {
    status: 200,
    headers: { ...commandHeaders, ...headers },
    body: body(),
    trailers: (): Record<string, string> => (failure === undefined ? {} : { 'X-Stream-Error': failure }),
  }
}

async function linesReply<T>(
  source: AsyncIterable<T>,
  contentType: string,
  encode: (value: T) => Awaitable<Uint8Array>,
): Promise<CommandReply> {
  const iterator = source[Symbol.asyncIterator]()
  const first = await iterator.next()
  const headers = { 'Content-Type': contentType, 'X-Chunked-Output': '1' }
  return streamReply(encodedPieces(first, iterator, encode), headers)
}

/** Encodes the lines of a group. Yields meanwhile if they are long. */
async function encodeGroup<T>(
  group: readonly T[],
  encode: (value: T) => Awaitable<Uint8Array>,
): Promise<Uint8Array> {
  const lines: Uint8Array[] = []
  let length = 0
  let slice: TimeSlice | undefined
  for (const value of group) {
    const encoded = encode(value)
    const line = encoded instanceof Promise ? await encoded : encoded
    lines.push(line)
    length += line.length
    if (length > CHARACTERS_AT_ONCE) await (slice ??= new TimeSlice()).pause()
  }
  return slice === undefined ? joinBytes(lines) : runInSlices(joinInSteps(lines), slice)
}

async function* encodedPieces<T>(
  first: IteratorResult<T>,
  rest: AsyncIterator<T>,
  encode: (value: T) => Awaitable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const slice = new TimeSlice()
  try {
    for (let result = first; !result.done; result = await rest.next()) {
      const encoded = encode(result.value)
      yield encoded instanceof Promise ? await encoded : encoded
      const pause = slice.pause()
      if (pause !== undefined) await pause
    }
  } finally {
    await rest.return?.()
  }
}

const escaped = /[<>&\u2028\u2029]/
/** How Go writes these characters. V8 replaces one character by one text many times as fast as by a function. */
const escapes = [
  [/</g, '\\u003c'],
  [/>/g, '\\u003e'],
  [/&/g, '\\u0026'],
  [/\u2028/g, '\\u2028'],
  [/\u2029/g, '\\u2029'],
] as const

/** Encodes JSON like Go: escapes `<`, `>`, `&` and the two line separators. */
export function goJson(value: unknown): string {
  return escapeLikeGo(JSON.stringify(value))
}

function escapeLikeGo(json: string): string {
  const whole = json.includes('\\udd00') ? json.replace(/"\\udd00(-?\d+)"/g, '$1') : json
  const valid = whole.includes('\\udc') ? withReplacements(whole) : whole
  if (!escaped.test(valid)) return valid
  return escapes.reduce((text, [character, escape]) => text.replace(character, escape), valid)
}

/** Encodes JSON over several lines, like Go's `json.MarshalIndent`. */
export function goJsonIndented(value: unknown, indent: string): string {
  return escapeLikeGo(JSON.stringify(value, undefined, indent))
}

/** Encodes JSON like {@link goJson}, followed by a newline. */
export function goJsonLine(value: unknown): string {
  return `${goJson(value)}\n`
}

/** Children of a list or object in a line that is encoded at once. */
const MAX_CHILDREN = 64
/** Characters buffered before they are encoded. */
const CHARACTERS_AT_ONCE = 65_536

/**
 * Encodes JSON like {@link goJsonLine}, but yields meanwhile: a value may list a million entries. Maps are encoded as
 * objects; a plain object of a million fields could not be traversed in pieces.
 */
export function goJsonBytes(value: unknown): Promise<Uint8Array> {
  return encodeInSlices(jsonLinePieces(value))
}

/** Yields the text of {@link goJsonLine} in pieces. */
export function* jsonLinePieces(value: unknown): Generator<string> {
  yield* jsonPieces(value, escapeLikeGo)
  yield '\n'
}

function* failurePieces(message: string, code: number): Generator<string> {
  yield '{"Message":'
  for (const part of longString(message)) yield escapeLikeGo(part)
  yield `,"Code":${code},"Type":"error"}\n`
}

/** Encodes pieces of text to UTF-8; yields meanwhile. */
async function encodeInSlices(
  text: Iterable<string>,
  encode: (piece: string) => Uint8Array = Buffer.from,
): Promise<Uint8Array> {
  const slice = new TimeSlice()
  const encoded: Uint8Array[] = []
  let waiting = ''
  for (const piece of text) {
    waiting += piece
    if (waiting.length >= CHARACTERS_AT_ONCE) {
      encoded.push(encode(waiting))
      waiting = ''
    }
    const pause = slice.pause()
    if (pause !== undefined) await pause
  }
  encoded.push(encode(waiting))
  return runInSlices(joinInSteps(encoded), slice)
}

/** Whether a value is or has a text, list or object of more characters, items or fields than are encoded at once. */
function isLong(value: unknown): boolean {
  if (typeof value === 'string') return value.length > STRING_AT_ONCE
  if (typeof value !== 'object' || value === null) return false
  const children: unknown[] = Array.isArray(value) ? value : Object.values(value)
  return children.length > MAX_CHILDREN || children.some(isLong)
}

/** A queue between one producer and one consumer; the one ahead waits. */
export interface Channel<T> {
  /** Resolves once there is room for another value. */
  send(value: T): Promise<void>
  close(): void
  /** Ends the channel with an error, after the values already sent. */
  fail(error: unknown): void
  /** Yields the values in order. */
  receive(): AsyncGenerator<T>
}

/** Creates a channel that buffers `capacity` values before the producer has to wait. */
export function createChannel<T>(capacity: number): Channel<T> {
  const queue: T[] = []
  let end: { error?: unknown; failed: boolean } | undefined
  let abandoned = false
  let wakeConsumer = (): void => undefined
  let wakeProducer = (): void => undefined

  return {
    async send(value) {
      if (abandoned) throw new Error('the reader has left')
      queue.push(value)
      wakeConsumer()
      while (queue.length > capacity && !abandoned) {
        await new Promise<void>((resolve) => (wakeProducer = resolve))
      }
      if (abandoned) throw new Error('the reader has left')
    },
    close() {
      end ??= { failed: false }
      wakeConsumer()
    },
    fail(error) {
      end ??= { failed: true, error }
      wakeConsumer()
    },
    async *receive() {
      try {
        for (;;) {
          const [value] = queue
          if (queue.length > 0) {
            queue.shift()
            wakeProducer()
            yield value as T
          } else if (end) {
            if (end.failed) throw end.error
            return
          } else {
            await new Promise<void>((resolve) => (wakeConsumer = resolve))
          }
        }
      } finally {
        abandoned = true
        wakeProducer()
      }
    },
  }
}

/** Maximum number of values in a group. */
const LINES_PER_GROUP = 256
/** Groups that may await safe storage before the producer has to wait. */
const GROUPS_IN_FLIGHT = 16

/** A queue that delivers each value once it is safe, in order, from one producer to one consumer. */
export interface LineQueue<T> {
  /** Adds a value. Resolves once there is room for more; undefined if there already is. */
  send(value: T, safe: Promise<void>): Promise<void> | undefined
  close(): void
  /** Ends the queue with an error, after the values already sent. */
  fail(error: unknown): void
  /** Yields safe values, grouped by when they became safe. */
  receive(): AsyncGenerator<T[]>
}

interface Group<T> {
  values: T[]
  safe: Promise<void>
  isTaken: boolean
}

/** Creates an empty queue. Consecutive values sent with the same promise are received together. */
export function createLineQueue<T>(): LineQueue<T> {
  const channel = createChannel<Group<T>>(GROUPS_IN_FLIGHT)
  let last: Group<T> | undefined
  return {
    send(value, safe) {
      if (last?.safe === safe && !last.isTaken && last.values.length < LINES_PER_GROUP) {
        last.values.push(value)
        return undefined
      }
      safe.catch(() => undefined)
      last = { values: [value], safe, isTaken: false }
      return channel.send(last)
    },
    close: () => channel.close(),
    fail: (error) => channel.fail(error),
    async *receive() {
      for await (const group of channel.receive()) {
        await group.safe
        group.isTaken = true
        yield group.values
      }
    },
  }
}
