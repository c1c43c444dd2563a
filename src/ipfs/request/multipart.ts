import { RequestError } from '../errors.js'

/** A part of a multipart body. */
export interface MultipartPart {
  /** Header values by lower-case name. */
  headers: Map<string, string>
  /** The part's content, to be read before the next part is asked for; what is not read is skipped. */
  body: AsyncIterable<Uint8Array>
}

/** The longest header of a part: far above any name, far below what would hurt. */
const headerLimit = 1024 * 1024
const lineBreak = Buffer.from('\r\n')
const headerEnd = Buffer.from('\r\n\r\n')
/** What every delimiter begins with. */
const delimiterStart = Buffer.from('\r\n--')

/**
 * The parts of a multipart body (RFC 2046), one after the other, none of them held in memory. Every part
 * counts, whatever its headers say, as in Go's `mime/multipart`, by whose rules Kubo reads uploads.
 *
 * @throws {@link RequestError} when the body ends early or is no multipart body
 */
export async function* readMultipart(
  body: AsyncIterable<Uint8Array>,
  boundary: string,
): AsyncGenerator<MultipartPart> {
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  const input = body[Symbol.asyncIterator]()
  let buffer: Buffer = lineBreak
  let inPart = true

  async function more(): Promise<void> {
    const next = await input.next()
    if (next.done) throw new RequestError('unexpected EOF')
    const bytes = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength)
    buffer = buffer.length === 0 ? bytes : Buffer.concat([buffer, bytes])
  }

  /** The next bytes of the part; undefined at its end. */
  async function readData(): Promise<Uint8Array | undefined> {
    while (inPart) {
      const end = indexOfDelimiter(buffer, delimiter)
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
      if (end >= 0) {
        const found = buffer.subarray(0, end)
        buffer = buffer.subarray(end + mark.length)
        return found
      }
      if (buffer.length > headerLimit) throw new RequestError('multipart: message too large')
      await more()
    }
  }

  try {
    for (;;) {
      while ((await readData()) !== undefined);
      while (buffer.length < 2) await more()
      if (buffer.subarray(0, 2).toString('latin1') === '--') return
      const padding = await readUntil(lineBreak)
      if (padding.toString('latin1').trim() !== '') throw new RequestError('multipart: malformed boundary')
      while (buffer.length < 2) await more()
      const isBare = buffer.subarray(0, 2).equals(lineBreak)
      const head = isBare ? await readUntil(lineBreak) : await readUntil(headerEnd)
      inPart = true
      yield { headers: parseHeaders(head.toString('utf8')), body: iterate(readData) }
    }
  } finally {
    await input.return?.()
  }
}

async function* iterate(read: () => Promise<Uint8Array | undefined>): AsyncGenerator<Uint8Array> {
  for (let data = await read(); data !== undefined; data = await read()) yield data
}

/**
 * Where the delimiter is, or -1. Node finds something so short as its beginning with `memchr`, five times as fast
 * as anything longer; in most of what is uploaded there is none.
 */
function indexOfDelimiter(buffer: Buffer, delimiter: Buffer): number {
  const candidate = buffer.indexOf(delimiterStart)
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
  for (const line of text.replace(/\r\n[ \t]+/g, ' ').split('\r\n')) {
    const colon = line.indexOf(':')
    if (colon < 0) continue
    headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim())
  }
  return headers
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
