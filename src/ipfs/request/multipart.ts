import { FileNetworkError, RequestError } from '../errors.js'

/** What a part holds. */
export interface PartContent extends AsyncIterable<Uint8Array> {
  /** All of it, where it was there together with the headers. */
  readonly whole: Uint8Array | undefined
}

/** A part of a multipart body. */
export interface MultipartPart {
  /** Header values by lower-case name. */
  headers: Map<string, string>
  /** To be read before the next part is asked for; what is not read is skipped. */
  content: PartContent
}

/** Parts, one after the other. */
export interface PartReader {
  /**
   * The next part, undefined behind the last; a promise only where it is not here yet.
   *
   * @throws {@link FileNetworkError} when the body ends early; {@link RequestError} when it is no multipart body
   */
  next(): MultipartPart | undefined | Promise<MultipartPart | undefined>
}

/** Bytes of a part's longest headers: far above any name, and read in a few milliseconds. */
const headerLimit = 256 * 1024
const lineBreak = Buffer.from('\r\n')
const headerEnd = Buffer.from('\r\n\r\n')
/** What every delimiter begins with. */
const delimiterStart = Buffer.from('\r\n--')

/**
 * The parts of a multipart body (RFC 2046), one after the other, none of them held in memory. Every part
 * counts, whatever its headers say, as in Go's `mime/multipart`, by whose rules Kubo reads uploads.
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

  /** The next bytes of the part; undefined at its end. */
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
      if (length > headerLimit) throw new RequestError('multipart: message too large')
      if (end >= 0) {
        const found = buffer.subarray(0, end)
        buffer = buffer.subarray(end + mark.length)
        return found
      }
      await more()
    }
  }

  /** The next part where the buffer has the whole of it: most parts of a directory of small files. */
  function takeWhole(): MultipartPart | undefined {
    if (inPart || buffer.length < 3 || buffer.indexOf(lineBreak) !== 0 || buffer[2] === 0x0d) return undefined
    const headLength = buffer.indexOf(headerEnd, lineBreak.length)
    if (headLength < 0 || headLength > headerLimit) return undefined
    const start = headLength + headerEnd.length
    const end = indexOfDelimiter(buffer, delimiter, start)
    if (end < 0) return undefined
    const headers = parseHeaders(buffer.toString('utf8', lineBreak.length, headLength))
    const content = new WholeContent(buffer.subarray(start, end))
    buffer = buffer.subarray(end + delimiter.length)
    return { headers, content }
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
    return { headers: parseHeaders(head.toString('utf8')), content }
  }

  /** The headers of a part; undefined where the body ends before they do, which Go takes for the end of all parts. */
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

/** A body that ends in the middle of a part. */
class BodyEndedError extends FileNetworkError {
  constructor() {
    super('unexpected EOF')
  }
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
 * Where the delimiter is, or -1. Node finds something so short as its beginning with `memchr`, five times as fast
 * as anything longer; in most of what is uploaded there is none.
 */
function indexOfDelimiter(buffer: Buffer, delimiter: Buffer, from: number): number {
  const candidate = buffer.indexOf(delimiterStart, from)
  return candidate < 0 ? -1 : buffer.indexOf(delimiter, candidate)
}

/** Length of the longest end of the buffer with which the delimiter might begin. */
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
      throw new FileNetworkError(`malformed MIME header: missing colon: ${JSON.stringify(line)}`)
    }
    headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim())
  }
  return headers
}

/** Lines that begin with white space go on with the line before. */
function unfold(text: string): string {
  return /\r\n[ \t]/.test(text) ? text.replace(/\r\n[ \t]+/g, ' ') : text
}

/** A header value with parameters, such as `form-data; name="file"; filename="a.txt"`. */
export interface ParameterizedValue {
  /** In lower case. */
  value: string
  parameters: Map<string, string>
}

/** Reads a header value with parameters, quoted strings and `filename*=utf-8''…` included. */
export function parseParameterized(text: string): ParameterizedValue {
  const first = text.indexOf(';')
  const value = (first < 0 ? text : text.slice(0, first)).trim().toLowerCase()
  const parameters = new Map<string, string>()
  if (first < 0) return { value, parameters }
  const pattern = /;\s*([^=;\s]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;]*))/g
  for (const [, name = '', quoted, bare] of text.slice(first).matchAll(pattern)) {
    const plain = quoted === undefined ? (bare ?? '').trim() : unescapeQuoted(quoted)
    if (name.endsWith('*')) parameters.set(name.slice(0, -1).toLowerCase(), decodeExtended(plain))
    else if (!parameters.has(name.toLowerCase())) parameters.set(name.toLowerCase(), plain)
  }
  return { value, parameters }
}

/** A backslash escapes only what is special in a header: some clients send paths with bare backslashes. */
function unescapeQuoted(text: string): string {
  return text.replace(/\\([()<>@,;:\\"/[\]?=])/g, '$1')
}

function decodeExtended(text: string): string {
  const match = /^utf-8'[^']*'(.*)$/i.exec(text)
  if (match?.[1] === undefined) return text
  try {
    return decodeURIComponent(match[1])
  } catch {
    return text
  }
}
