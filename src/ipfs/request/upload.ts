import { type Awaitable, TimeSlice } from '../../encoding/timeSlice.js'
import { RequestError } from '../errors.js'
import { cleanSegments } from '../mfs/filesPath.js'
import { readAll } from '../blockSize.js'
import { decodeEscapes } from '../../encoding/byteText.js'
import { type UnixfsTime, isGoZeroTime } from '../unixfs/data.js'
import {
  type MediaType,
  MediaTypeError,
  type MultipartPart,
  type PartContent,
  type PartReader,
  parseMediaType,
  readMultipart,
} from './multipart.js'

/** Attributes of an uploaded entry. */
interface EntryAttributes {
  /** Name in its directory; may be empty. */
  name: string
  mode: number
  modified: UnixfsTime | undefined
}

/** A file, directory or symlink of an upload, in body order. */
export type UploadEntry = EntryAttributes &
  (
    | { kind: 'file'; content: PartContent }
    | { kind: 'symlink'; target: Uint8Array }
    | { kind: 'directory'; children: UploadEntries }
  )

/** Entries of a directory or of the top level. Each must be read before the next is requested. */
export interface UploadEntries extends AsyncIterable<UploadEntry> {
  /** Returns the next entry, or undefined after the last. */
  next(): Awaitable<UploadEntry | undefined>
}

/** The uploaded files of a request. Everything is read on demand, and only once. */
export interface Upload {
  /** Whether there is a multipart body. */
  present: boolean
  /** Top-level entries; directories are trees. */
  entries(): UploadEntries
}

/**
 * Returns the content of an entry read as a file: of a symlink its target; undefined for a directory (boxo, `files`).
 */
export function contentOf(entry: UploadEntry): AsyncIterable<Uint8Array> | undefined {
  if (entry.kind === 'directory') return undefined
  return entry.kind === 'file' ? entry.content : onlyPiece(entry.target)
}

async function* onlyPiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/**
 * The longest boundary, in characters; RFC 2046 allows 70. The search for one takes time in proportion to its length.
 */
const MAX_BOUNDARY_LENGTH = 256

/** Creates the upload of a request's body; without a multipart body it is empty. */
export function createUpload(
  contentType: string | undefined,
  body: AsyncIterable<Uint8Array> | undefined,
): Upload {
  const { value, parameters } = readContentType(contentType ?? '')
  if (value !== 'multipart/form-data' || body === undefined) {
    return {
      present: false,
      entries: () => new DirectoryEntries('/', new PartCursor({ next: () => undefined })),
    }
  }
  const boundary = parameters.get('boundary')
  if (!boundary) throw new RequestError('no multipart boundary param in Content-Type')
  if (boundary.length > MAX_BOUNDARY_LENGTH) {
    throw new RequestError(`a multipart boundary of more than ${MAX_BOUNDARY_LENGTH} characters`)
  }
  return {
    present: true,
    entries: () => new DirectoryEntries('/', new PartCursor(readMultipart(body, boundary))),
  }
}

/** Parses a request's content type; a malformed one counts as no upload. */
function readContentType(text: string): MediaType {
  try {
    return parseMediaType(text)
  } catch (error) {
    if (!(error instanceof MediaTypeError)) throw error
    if (error.value === 'multipart/form-data') {
      throw new RequestError("request Content-Type isn't multipart/form-data")
    }
    return { value: '', parameters: new Map() }
  }
}

/** The longest target of a symlink, in bytes: the size limit of blocks. */
const SYMLINK_LIMIT = 2 * 1024 * 1024

/** Maximum depth of an entry's path, far above real trees. The answer repeats each directory's full path. */
const MAX_DEPTH = 1024

/** A part with the absolute, cleaned path from its name. */
interface NamedPart {
  part: MultipartPart
  /** Empty if the disposition is malformed: the part then belongs to no directory. */
  path: string
  mode: number
  modified: UnixfsTime | undefined
}

/**
 * Reads parts with one part of lookahead. Yields between them: thousands of small files may be buffered, and storing
 * one awaits nothing.
 */
class PartCursor {
  #next: NamedPart | undefined
  readonly #parts: PartReader
  readonly #slice = new TimeSlice()

  constructor(parts: PartReader) {
    this.#parts = parts
  }

  peek(): Awaitable<NamedPart | undefined> {
    if (this.#next !== undefined) return this.#next
    const pause = this.#slice.pause()
    const part = pause === undefined ? this.#parts.next() : pause.then(() => this.#parts.next())
    return part instanceof Promise ? part.then((read) => this.#keep(read)) : this.#keep(part)
  }

  take(): void {
    this.#next = undefined
  }

  #keep(part: MultipartPart | undefined): NamedPart | undefined {
    this.#next = part && describePart(part)
    return this.#next
  }
}

/** Marks a part that `DirectoryEntries` skipped. */
const skipped = Symbol('skipped')

/**
 * Entries of a directory: the following parts below its path (boxo, `files/multipartfile.go`). A name with several
 * segments creates the directories in between.
 */
class DirectoryEntries implements UploadEntries {
  readonly #prefix: string
  readonly #cursor: PartCursor
  /** Path prefix of the current entry's parts; those that its reader left unread are skipped. */
  #below: string | undefined

  constructor(path: string, cursor: PartCursor) {
    this.#prefix = path.endsWith('/') ? path : `${path}/`
    this.#cursor = cursor
  }

  next(): Awaitable<UploadEntry | undefined> {
    for (;;) {
      const part = this.#cursor.peek()
      if (part instanceof Promise) return this.#waitFor(part)
      const found = this.#take(part)
      if (found !== skipped) return found
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<UploadEntry> {
    for (let entry = await this.next(); entry !== undefined; entry = await this.next()) yield entry
  }

  async #waitFor(part: Promise<NamedPart | undefined>): Promise<UploadEntry | undefined> {
    for (let arrived = await part; ; arrived = await this.#cursor.peek()) {
      const found = await this.#take(arrived)
      if (found !== skipped) return found
    }
  }

  #take(part: NamedPart | undefined): Awaitable<UploadEntry | undefined> | typeof skipped {
    const prefix = this.#prefix
    if (part === undefined || !part.path.startsWith(prefix)) return undefined
    if (this.#below !== undefined && part.path.startsWith(this.#below)) {
      this.#cursor.take()
      return skipped
    }
    const relative = part.path.slice(prefix.length)
    const slash = relative.indexOf('/')
    const name = slash < 0 ? relative : relative.slice(0, slash)
    this.#below = name === '' ? undefined : `${prefix}${name}/`
    if (slash < 0) {
      this.#cursor.take()
      return toEntry(part, name, this.#cursor)
    }
    const children = new DirectoryEntries(prefix + name, this.#cursor)
    return { kind: 'directory', name, mode: 0, modified: undefined, children }
  }
}

function toEntry(part: NamedPart, name: string, cursor: PartCursor): Awaitable<UploadEntry> {
  const { mode, modified } = part
  const contentType = part.part.headers.get('content-type')
  const type = contentType ? parseMediaType(contentType).value : ''
  const { content } = part.part
  if (type === 'application/x-directory' || type === 'multipart/form-data') {
    return { kind: 'directory', name, mode, modified, children: new DirectoryEntries(part.path, cursor) }
  }
  if (type === 'application/symlink') {
    return readAll(content, SYMLINK_LIMIT).then((target) => ({
      kind: 'symlink',
      name,
      mode,
      modified,
      target,
    }))
  }
  return { kind: 'file', name, mode, modified, content }
}

function describePart(part: MultipartPart): NamedPart {
  const disposition = readDisposition(part)
  if (disposition === undefined) return { part, path: '', mode: 0, modified: undefined }
  const { value, parameters } = disposition
  const field = value === 'form-data' ? (parameters.get('name') ?? '') : ''
  const segments = cleanSegments(nameOf(parameters))
  if (segments.length > MAX_DEPTH) throw new RequestError(`path has more than ${MAX_DEPTH} segments`)
  const question = field.indexOf('?')
  const query = question < 0 ? undefined : new URLSearchParams(field.slice(question + 1))
  return {
    part,
    path: `/${segments.join('/')}`,
    mode: query === undefined ? 0 : parseMode(query.get('mode') ?? ''),
    modified: query && parseTime(query),
  }
}

/** Returns the name of a part; malformed escapes stay as they are. */
function nameOf(parameters: MediaType['parameters']): string {
  const name = parameters.get('filename') ?? ''
  return unescapeQuery(name) ?? name
}

function readDisposition({ headers }: MultipartPart): MediaType | undefined {
  try {
    return parseMediaType(headers.get('content-disposition') ?? '')
  } catch (error) {
    if (error instanceof MediaTypeError) return undefined
    throw error
  }
}

/** Parses a 32-bit mode in octal; 0 if it is missing or malformed. */
function parseMode(text: string): number {
  const mode = /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : 0
  return mode < 2 ** 32 ? mode : 0
}

const NANOSECONDS_PER_SECOND = 1_000_000_000n
const MAX_INTEGER = 2n ** 63n - 1n

/**
 * Parses a part's time. As in boxo (`files/multipartfile.go`), a part with a mode but no time gets the Unix epoch, and
 * nanoseconds beyond a second carry over to the seconds, which have 64 bits.
 */
function parseTime(query: URLSearchParams): UnixfsTime | undefined {
  const given = parseInteger(query.get('mtime') ?? '0')
  if (given === undefined || given !== withinInteger(given)) return undefined
  const total = withinInteger(parseInteger(query.get('mtime-nsecs') ?? '0') ?? 0n)
  const within = ((total % NANOSECONDS_PER_SECOND) + NANOSECONDS_PER_SECOND) % NANOSECONDS_PER_SECOND
  const seconds = BigInt.asIntN(64, given + (total - within) / NANOSECONDS_PER_SECOND)
  const time = { seconds, nanoseconds: Number(within) }
  return isGoZeroTime(time) ? undefined : time
}

/** Parses a decimal integer; undefined for other text. Digits beyond any value of 64 bits make no difference. */
function parseInteger(text: string): bigint | undefined {
  const [, sign, written = ''] = /^([+-]?)(\d+)$/.exec(text) ?? []
  if (sign === undefined) return undefined
  const digits = written.replace(/^0+/, '')
  const value = digits.length > 20 ? 2n ** 64n : BigInt(digits)
  return sign === '-' ? -value : value
}

/** Returns the nearest integer of 64 bits (Go, `strconv.ParseInt`). */
function withinInteger(value: bigint): bigint {
  if (value > MAX_INTEGER) return MAX_INTEGER
  return value < -MAX_INTEGER ? -MAX_INTEGER - 1n : value
}

/** Decodes like Go's `url.QueryUnescape`; undefined if an escape is malformed. */
export function unescapeQuery(text: string): string | undefined {
  if (!/[%+]/.test(text)) return text
  return /%(?![0-9a-f]{2})/i.test(text) ? undefined : decodeEscapes(text.replaceAll('+', ' '))
}
