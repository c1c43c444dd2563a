import { TimeSlice } from '../../encoding/timeSlice.js'
import { EndOfDataError, FileNetworkError, RequestError, errorText } from '../errors.js'
import { kuboVersion } from '../version.js'
import type { Output } from './command.js'

/** The answer to a request, free of any transport. */
export interface CommandReply {
  status: number
  headers: Record<string, string>
  body: AsyncIterable<Uint8Array> | Uint8Array
  /** Whether the memory of a piece is reused for the next one, so that it is valid only until that is asked for. */
  reusesBuffer?: boolean
  /** Trailers, to be read after the body has ended: `X-Stream-Error` when it ended too early. */
  trailers?: () => Record<string, string>
}

/** Headers of the protocol that a page may read (go-ipfs-cmds, `http/responseemitter.go`). */
const exposedHeaders = 'X-Stream-Output, X-Chunked-Output, X-Content-Length'

/** The header by which clients know the release. */
export const serverHeader = { Server: `kubo/${kuboVersion}` }

/** Headers of every reply of a command that was run. */
const commandHeaders = {
  'Access-Control-Allow-Headers': exposedHeaders,
  'Access-Control-Expose-Headers': exposedHeaders,
  ...serverHeader,
  Trailer: 'X-Stream-Error',
  Vary: 'Origin',
}

const encoder = new TextEncoder()

/** A refusal before any command was run: text and a newline, as Go's `http.Error` writes it. */
export function textReply(status: number, text: string): CommandReply {
  return {
    status,
    headers: {
      'Content-Type': 'text/plain; charset=utf-8',
      'X-Content-Type-Options': 'nosniff',
      Vary: 'Origin',
    },
    body: encoder.encode(`${text}\n`),
  }
}

/** How the values of a command are written, and why it failed. */
export interface ReplyEncoding {
  contentType: string
  /** A value as a whole. */
  single(value: unknown): Promise<Uint8Array>
  /** One of many values. */
  line(value: unknown): string
  /** @param code - as go-ipfs-cmds numbers causes: 1 is the client's fault */
  failure(message: string, code: number): string
}

/** What is used where a request names no encoding. */
export const jsonEncoding: ReplyEncoding = {
  contentType: 'application/json',
  single: goJsonBytes,
  line: goJsonLine,
  failure: (message, code) => goJsonLine({ Message: message, Code: code, Type: 'error' }),
}

/**
 * The encoding `text`.
 *
 * @param write - the text of a value, in one piece or several
 */
export function textEncoding(write: (value: unknown) => string | Iterable<string>): ReplyEncoding {
  const pieces = (value: unknown): Iterable<string> => {
    const text = write(value)
    return typeof text === 'string' ? [text] : text
  }
  return {
    contentType: 'text/plain',
    single: (value) => encodeInTurns(pieces(value)),
    line: (value) => [...pieces(value)].join(''),
    failure: (message) => message,
  }
}

/** A command that failed before it said anything. */
export function errorReply(error: unknown, encoding = jsonEncoding): CommandReply {
  const code = error instanceof FileNetworkError ? error.code : error instanceof RequestError ? 1 : 0
  return {
    status: code === 1 ? 400 : 500,
    headers: { ...commandHeaders, 'Content-Type': encoding.contentType },
    body: encoder.encode(encoding.failure(errorText(error), code)),
  }
}

/**
 * The reply with a command's output. The first value is waited for, so that a command that fails before
 * it gets a status that says so.
 *
 * @throws what the output failed with before its first value
 */
export async function outputReply(output: Output, encoding = jsonEncoding): Promise<CommandReply> {
  const { contentType, line } = encoding
  switch (output.kind) {
    case 'single':
      return singleReply(output.value, encoding)
    case 'values':
      return linesReply(output.values, contentType, line)
    case 'valueGroups':
      return linesReply(output.groups, contentType, (group) => group.map(line).join(''))
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
    // A value that tells of a failure in words comes when the answer has begun.
    return streamReply(failing(error), headers)
  }
}

// eslint-disable-next-line require-yield -- an answer of nothing but its end
async function* failing(error: unknown): AsyncGenerator<never> {
  throw error
}

/** Text as Go writes it into a header: its bytes in UTF-8, line ends and the like as spaces. */
export function headerText(text: string): string {
  // eslint-disable-next-line no-control-regex -- Node refuses these in headers
  return Buffer.from(text.replace(/[\x00-\x1f\x7f]/g, ' '), 'utf8').toString('latin1')
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
  toText: (value: T) => string,
): Promise<CommandReply> {
  const iterator = source[Symbol.asyncIterator]()
  const first = await iterator.next()
  const headers = { 'Content-Type': contentType, 'X-Chunked-Output': '1' }
  return streamReply(textPieces(first, iterator, toText), headers)
}

async function* textPieces<T>(
  first: IteratorResult<T>,
  rest: AsyncIterator<T>,
  toText: (value: T) => string,
): AsyncGenerator<Uint8Array> {
  const slice = new TimeSlice()
  try {
    for (let result = first; !result.done; result = await rest.next()) {
      yield Buffer.from(toText(result.value))
      const pause = slice.pause()
      if (pause !== undefined) await pause
    }
  } finally {
    await rest.return?.()
  }
}

const escaped = /[<>&\u2028\u2029]/g

/** JSON as Go's encoder writes it: `<`, `>`, `&` and the two line separators as escapes. */
export function goJson(value: unknown): string {
  return escapeLikeGo(JSON.stringify(value))
}

function escapeLikeGo(json: string): string {
  return json.replace(escaped, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** The same over several lines, each level behind one more indent (Go, `json.MarshalIndent`). */
export function goJsonIndented(value: unknown, indent: string): string {
  return escapeLikeGo(JSON.stringify(value, undefined, indent))
}

/** The same as {@link goJson} with a newline behind it. */
export function goJsonLine(value: unknown): string {
  return `${goJson(value)}\n`
}

/** Go's `omitempty`: the fields of an object that are not zero, empty or absent. */
export function omitEmpty(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => value !== undefined && value !== '' && value !== 0 && value !== false,
    ),
  )
}

/** A time as Go's JSON has it: RFC 3339 in UTC with as many digits of the second as needed. */
export function formatGoTime(time: { seconds: bigint; nanoseconds: number }): string {
  const date = new Date(Number(time.seconds) * 1000).toISOString().slice(0, 19)
  const fraction = String(time.nanoseconds).padStart(9, '0').replace(/0+$/, '')
  return fraction === '' ? `${date}Z` : `${date}.${fraction}Z`
}

/** Children of a list or an object that are written at once. */
const childrenAtOnce = 64
/** Characters that are gathered before they are encoded. */
const charactersAtOnce = 65_536

/**
 * The bytes of what `goJsonLine` writes. Other requests have their turn while it is written: a value may list a million
 * entries. A map is written as an object: one of a million fields could only be looked at as a whole.
 */
export function goJsonBytes(value: unknown): Promise<Uint8Array> {
  return encodeInTurns(jsonLinePieces(value))
}

/** The same as text in pieces. */
export function* jsonLinePieces(value: unknown): Generator<string> {
  yield* pieces(value)
  yield '\n'
}

/** The bytes of a text in pieces. Other requests have their turn while it is put together. */
async function encodeInTurns(text: Iterable<string>): Promise<Uint8Array> {
  const slice = new TimeSlice()
  const encoded: Uint8Array[] = []
  let waiting = ''
  for (const piece of text) {
    waiting += piece
    if (waiting.length >= charactersAtOnce) {
      encoded.push(Buffer.from(waiting))
      waiting = ''
    }
    const pause = slice.pause()
    if (pause !== undefined) await pause
  }
  return Buffer.concat([...encoded, Buffer.from(waiting)])
}

type Field = [name: string, value: unknown]

/** The text of a value. What has others inside it that have others inside them is taken apart. */
function* pieces(value: unknown): Generator<string> {
  if (isFlat(value)) yield goJson(value)
  else if (Array.isArray(value)) {
    yield '['
    yield* separated(groupsOf(value), itemPieces)
    yield ']'
  } else {
    yield '{'
    yield* separated(groupsOf(fieldsOf(value as object)), fieldPieces)
    yield '}'
  }
}

function isFlat(value: unknown): boolean {
  if (!isContainer(value)) return true
  if (value instanceof Map) return false
  const children: unknown[] = Array.isArray(value) ? value : Object.values(value)
  return children.length <= childrenAtOnce && !children.some(isContainer)
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** As in `JSON.stringify`, a field without a value is left out. */
function fieldsOf(value: object): Iterable<Field> {
  return value instanceof Map ? value : Object.entries(value).filter(([, child]) => child !== undefined)
}

function* groupsOf<T>(children: Iterable<T>): Generator<T[]> {
  let group: T[] = []
  for (const child of children) {
    group.push(child)
    if (group.length < childrenAtOnce) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}

function* separated<T>(parts: Iterable<T>, write: (part: T) => Iterable<string>): Generator<string> {
  let isFirst = true
  for (const part of parts) {
    if (!isFirst) yield ','
    isFirst = false
    yield* write(part)
  }
}

function* itemPieces(items: unknown[]): Generator<string> {
  if (items.every(isFlat)) yield goJson(items).slice(1, -1)
  else yield* separated(items, pieces)
}

function* fieldPieces(fields: Field[]): Generator<string> {
  if (fields.every(([, value]) => isFlat(value))) yield goJson(Object.fromEntries(fields)).slice(1, -1)
  else yield* separated(fields, namedPieces)
}

function* namedPieces([name, value]: Field): Generator<string> {
  yield `${goJson(name)}:`
  yield* pieces(value)
}

/** A queue between one producer and one consumer: whoever is ahead waits. */
export interface Channel<T> {
  /** Settled once there is room for one more. */
  send(value: T): Promise<void>
  close(): void
  /** Ends the channel for the consumer with an error, after what was sent before. */
  fail(error: unknown): void
  /** What was sent, in order. */
  receive(): AsyncGenerator<T>
}

/** A channel that holds a number of values before the producer has to wait. */
export function createChannel<T>(capacity: number): Channel<T> {
  const queue: T[] = []
  let end: { error?: unknown; failed: boolean } | undefined
  let abandoned = false
  let wakeConsumer = (): void => undefined
  let wakeProducer = (): void => undefined

  return {
    async send(value) {
      if (abandoned) throw new Error('nobody receives any more')
      queue.push(value)
      wakeConsumer()
      while (queue.length > capacity && !abandoned) {
        await new Promise<void>((resolve) => (wakeProducer = resolve))
      }
      if (abandoned) throw new Error('nobody receives any more')
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

/** Lines that become known together, at most. */
const linesPerGroup = 256
/** Groups that may wait for their blocks to be stored before the producer has to wait too. */
const groupsInFlight = 16

/** Values that may be told of once something is safe, from one producer to one consumer, in order. */
export interface LineQueue<T> {
  /** Adds a value. Settled once there is room for more, undefined when there is already. */
  send(value: T, safe: Promise<void>): Promise<void> | undefined
  close(): void
  /** Ends the queue for the consumer with an error, after what was sent before. */
  fail(error: unknown): void
  /** What was sent and is safe; together what became so at once. */
  receive(): AsyncGenerator<T[]>
}

interface Group<T> {
  values: T[]
  safe: Promise<void>
  isTaken: boolean
}

/** An empty queue. Values that are sent with the same promise, one after the other, are received together. */
export function createLineQueue<T>(): LineQueue<T> {
  const channel = createChannel<Group<T>>(groupsInFlight)
  let last: Group<T> | undefined
  return {
    send(value, safe) {
      if (last?.safe === safe && !last.isTaken && last.values.length < linesPerGroup) {
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
