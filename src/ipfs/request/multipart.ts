import type { Awaitable } from '../../encoding/timeSlice.js'
import { FileNetworkError, RequestError } from '../errors.js'
import { decodeQuotedPrintable } from './quotedPrintable.js'
import { goQuote } from '../text/goQuote.js'

/** The content of a part. */
export interface PartContent extends AsyncIterable<Uint8Array> {
  /** All of it, if it arrived together with the headers. */
  readonly whole: Uint8Array | undefined
}

/** A part of a multipart body. */
export interface MultipartPart {
  /** Header values by lower-case name. */
  headers: Map<string, string>
  /** Must be read before the next part is requested; the unread rest is skipped. */
  content: PartContent
}

/** Reads parts in sequence. */
export interface PartReader {
  /**
   * Returns the next part, or undefined after the last. Returns a promise only if it must wait.
   *
   * @throws {@link FileNetworkError} if the body ends early; {@link RequestError} if it is not a multipart body
   */
  next(): Awaitable<MultipartPart | undefined>
}

/** Maximum length of a part's headers, in bytes: far above any name, yet parsed in a few milliseconds. */
const HEADER_LIMIT = 256 * 1024
const lineBreak = Buffer.from('\r\n')
const headerEnd = Buffer.from('\r\n\r\n')
/** Common prefix of delimiters. */
const delimiterStart = Buffer.from('\r\n--')

/**
 * Reads the parts of a multipart body (RFC 2046) in sequence, without holding any in memory. Yields every part,
 * whatever its headers, like Go's `mime/multipart`, which Kubo uses.
 */
export function readMultipart(body: AsyncIterable<Uint8Array>, boundary: string): PartReader {
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  const input = body[Symbol.asyncIterator]()
  let buffer: Buffer = lineBreak
  let inPart = true

  async function more(): Promise<void> {
    const next = await input.next()
    if (next.done) throw new BodyEndedError()
    const bytes = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength)
    buffer = buffer.length === 0 ? bytes : Buffer.concat([buffer, bytes])
  }

  /** Returns the next bytes of the part; undefined at its end. */
  async function readData(): Promise<Uint8Array | undefined> {
    while (inPart) {
      const end = indexOfDelimiter(buffer, delimiter, 0)
      if (end >= 0) {
        const data = buffer.subarray(0, end)
        buffer = buffer.subarray(end + delimiter.length)
        inPart = false
        return data.length > 0 ? data : undefined
      }
      const certain = buffer.length - delimiterStartLength(buffer, delimiter)
      if (certain > 0) {
        const data = buffer.subarray(0, certain)
        buffer = buffer.subarray(certain)
        return data
      }
      await more()
    }
    return undefined
  }

  async function readUntil(mark: Buffer): Promise<Buffer> {
    for (;;) {
      const end = buffer.indexOf(mark)
      const length = end < 0 ? buffer.length : end
      if (length > HEADER_LIMIT) throw new RequestError('multipart: message too large')
      if (end >= 0) {
        const found = buffer.subarray(0, end)
        buffer = buffer.subarray(end + mark.length)
        return found
      }
      await more()
    }
  }

  /** Takes the next part if it is fully buffered, as most parts of a directory of small files are. */
  function takeWhole(): MultipartPart | undefined {
    if (inPart || buffer.length < 3 || buffer.indexOf(lineBreak) !== 0 || buffer[2] === 0x0d) return undefined
    const headLength = buffer.indexOf(headerEnd, lineBreak.length)
    if (headLength < 0 || headLength > HEADER_LIMIT) return undefined
    const start = headLength + headerEnd.length
    const end = indexOfDelimiter(buffer, delimiter, start)
    if (end < 0) return undefined
    const headers = parseHeaders(buffer.toString('utf8', lineBreak.length, headLength))
    const content = new WholeContent(buffer.subarray(start, end))
    buffer = buffer.subarray(end + delimiter.length)
    return { headers, content: decoded(headers, content) }
  }

  async function readPart(): Promise<MultipartPart | undefined> {
    try {
      while ((await readData()) !== undefined);
      while (buffer.length < 2) await more()
    } catch (error) {
      throw error instanceof BodyEndedError ? new FileNetworkError('multipart: NextPart: EOF') : error
    }
    if (buffer.subarray(0, 2).toString('latin1') === '--') {
      await input.return?.()
      return undefined
    }
    const padding = await readUntil(lineBreak)
    if (padding.toString('latin1').trim() !== '') throw new RequestError('multipart: malformed boundary')
    const head = await readHead()
    if (head === undefined) return undefined
    inPart = true
    const content = { whole: undefined, [Symbol.asyncIterator]: () => iterate(readData) }
    const headers = parseHeaders(head.toString('utf8'))
    return { headers, content: decoded(headers, content) }
  }

  /** Reads the headers of a part; undefined if the body ends within them, which Go takes for the end of all parts. */
  async function readHead(): Promise<Buffer | undefined> {
    try {
      while (buffer.length < 2) await more()
      const isBare = buffer.subarray(0, 2).equals(lineBreak)
      return isBare ? await readUntil(lineBreak) : await readUntil(headerEnd)
    } catch (error) {
      if (error instanceof BodyEndedError) return undefined
      throw error
    }
  }

  async function readOrEnd(): Promise<MultipartPart | undefined> {
    try {
      return await readPart()
    } catch (error) {
      await input.return?.()
      throw error
    }
  }

  return { next: () => takeWhole() ?? readOrEnd() }
}

/** The body ended in the middle of a part. */
class BodyEndedError extends FileNetworkError {
  constructor() {
    super('unexpected EOF')
  }
}

/** Returns what the content of a part stands for: Go undoes one transfer encoding, and no other. */
function decoded(headers: ReadonlyMap<string, string>, content: PartContent): PartContent {
  if (headers.get('content-transfer-encoding')?.toLowerCase() !== 'quoted-printable') return content
  return { whole: undefined, [Symbol.asyncIterator]: () => decodeQuotedPrintable(content) }
}

class WholeContent implements PartContent {
  readonly whole: Uint8Array

  constructor(whole: Uint8Array) {
    this.whole = whole
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    if (this.whole.length > 0) yield this.whole
  }
}

async function* iterate(read: () => Promise<Uint8Array | undefined>): AsyncGenerator<Uint8Array> {
  for (let data = await read(); data !== undefined; data = await read()) yield data
}

/**
 * Finds the delimiter, or returns -1. It first searches for the short prefix: Node finds that with `memchr`, five times
 * as fast as anything longer, and most uploaded data does not contain it.
 */
function indexOfDelimiter(buffer: Buffer, delimiter: Buffer, from: number): number {
  const candidate = buffer.indexOf(delimiterStart, from)
  return candidate < 0 ? -1 : buffer.indexOf(delimiter, candidate)
}

/** Returns the length of the longest buffer suffix that could begin a delimiter. */
function delimiterStartLength(buffer: Buffer, delimiter: Buffer): number {
  const from = Math.max(0, buffer.length - delimiter.length + 1)
  for (let start = buffer.indexOf(0x0d, from); start >= 0; start = buffer.indexOf(0x0d, start + 1)) {
    const tail = buffer.subarray(start)
    if (tail.equals(delimiter.subarray(0, tail.length))) return tail.length
  }
  return 0
}

function parseHeaders(text: string): Map<string, string> {
  const headers = new Map<string, string>()
  for (const line of unfold(text).split('\r\n')) {
    const colon = line.indexOf(':')
    if (colon < 0) {
      if (line === '') continue
      throw new FileNetworkError(`malformed MIME header: missing colon: ${goQuote(line)}`)
    }
    const name = line.slice(0, colon).trim().toLowerCase()
    // The first of several counts.
    if (!headers.has(name)) headers.set(name, line.slice(colon + 1).trim())
  }
  return headers
}

/** Joins continuation lines, which begin with white space, to the line before. */
function unfold(text: string): string {
  return /\r\n[ \t]/.test(text) ? text.replace(/\r\n[ \t]+/g, ' ') : text
}

/** A media type or disposition with its parameters, such as `form-data; name="file"; filename="a.txt"`. */
export interface MediaType {
  /** In lower case. */
  value: string
  /** By lower-case name. */
  parameters: ReadonlyMap<string, string>
}

/** A malformed media type. */
export class MediaTypeError extends FileNetworkError {
  /** The type before malformed parameters; empty if it is malformed itself. */
  readonly value: string

  constructor(reason: string, value = '') {
    super(`mime: ${reason}`)
    this.value = value
  }
}

const token = "[!#-'*+\\-.0-9A-Z^-z|~]+"
const special = String.raw`[()<>@,;:\\"/[\]?=]`
/** A backslash escapes only special characters: some clients send paths with bare backslashes. */
const quoted = String.raw`"((?:[^"\\\r\n]|\\${special}|\\(?!${special}))*)"`
const parameter = new RegExp(String.raw`\s*;\s*(${token})\s*=\s*(?:${quoted}|(${token}))`, 'y')
const mediaType = new RegExp(`^(${token})(/?)(${token})?(.*)$`, 's')
/** Maximum number of parameters, pieces included. Go takes any that its limit of the headers allows. */
const MAX_PARAMETERS = 2048

/**
 * Parses a header value with parameters (RFC 2045 and 2231), with the rules and messages of Go's `mime.ParseMediaType`.
 *
 * @throws {@link MediaTypeError}
 */
export function parseMediaType(text: string): MediaType {
  const end = text.indexOf(';')
  const value = (end < 0 ? text : text.slice(0, end)).trim().toLowerCase()
  checkMediaType(value)
  const given = new Map<string, string>()
  let count = 0
  for (let position = end < 0 ? text.length : end; position < text.length;) {
    parameter.lastIndex = position
    const [whole, name = '', inQuotes, bare = ''] = parameter.exec(text) ?? []
    if (whole === undefined) {
      if (['', ';'].includes(text.slice(position).trim())) break
      throw new MediaTypeError('invalid media parameter', value)
    }
    if (++count > MAX_PARAMETERS) throw new MediaTypeError(`more than ${MAX_PARAMETERS} parameters`, value)
    const content = inQuotes?.replace(escaped, '$1') ?? bare
    const key = name.toLowerCase()
    if ((given.get(key) ?? content) !== content) throw new MediaTypeError('duplicate parameter name')
    given.set(key, content)
    position += whole.length
  }
  return { value, parameters: joinPieces(given) }
}

const escaped = new RegExp(String.raw`\\(${special})`, 'g')

function checkMediaType(value: string): void {
  const [, type, slash, subtype, rest] = mediaType.exec(value) ?? []
  if (type === undefined) throw new MediaTypeError('no media type')
  if (slash === '' && rest !== '') throw new MediaTypeError('expected slash after first token')
  if (slash === '/' && subtype === undefined) throw new MediaTypeError('expected token after slash')
  if (rest !== '') throw new MediaTypeError('unexpected content after media subtype')
}

/** Decodes parameters that are encoded or split, under their plain names. */
function joinPieces(given: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const starred = new Set<string>()
  for (const name of given.keys()) if (name.includes('*')) starred.add(name.slice(0, name.indexOf('*')))
  if (starred.size === 0) return given
  const joined = new Map([...given].filter(([name]) => !name.includes('*')))
  for (const name of starred) {
    const whole = given.get(`${name}*`)
    const value = whole === undefined ? joinNumbered(given, name) : decodeExtended(whole)
    if (value !== undefined) joined.set(name, value)
  }
  return joined
}

/** Maximum number of pieces of a parameter. Go takes any that its limit of the headers allows. */
const MAX_PIECES = 1024

function joinNumbered(given: ReadonlyMap<string, string>, name: string): string | undefined {
  let joined: string | undefined
  for (let number = 0; ; number++) {
    const encoded = given.get(`${name}*${number}*`)
    const plain = given.get(`${name}*${number}`)
    if (plain === undefined && encoded === undefined) return joined
    if (number === MAX_PIECES) throw new MediaTypeError(`a parameter in more than ${MAX_PIECES} pieces`)
    const decoded = number === 0 ? decodeExtended(encoded ?? '') : decodePercents(encoded ?? '')
    joined = (joined ?? '') + (plain ?? decoded ?? '')
  }
}

/** Decodes a value prefixed with charset and language; undefined if the charset is unknown or the value malformed. */
function decodeExtended(text: string): string | undefined {
  const [, encoded] = /^(?:us-ascii|utf-8)'[^']*'(.*)$/is.exec(text) ?? []
  return encoded === undefined ? undefined : decodePercents(encoded)
}

function decodePercents(text: string): string | undefined {
  if (/%(?![0-9a-f]{2})/i.test(text)) return undefined
  const bytes = Buffer.from(text).toString('latin1')
  return Buffer.from(
    bytes.replace(/%(..)/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16))),
    'latin1',
  ).toString()
}
