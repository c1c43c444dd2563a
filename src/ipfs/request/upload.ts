import { TimeSlice } from '../../encoding/timeSlice.js'
import { RequestError } from '../errors.js'
import { cleanSegments } from '../mfs/filesPath.js'
import { readAll } from '../blockSize.js'
import type { UnixfsTime } from '../unixfs/data.js'
import {
  type MediaType,
  MediaTypeError,
  type MultipartPart,
  type PartContent,
  type PartReader,
  parseMediaType,
  readMultipart,
} from './multipart.js'

/** What an upload says of an entry beside its content. */
interface EntryAttributes {
  /** The entry's name in its directory; empty when it has none. */
  name: string
  mode: number
  modified: UnixfsTime | undefined
}

/** A file, directory or symlink of an upload, in the order of the body. */
export type UploadEntry = EntryAttributes &
  (
    | { kind: 'file'; content: PartContent }
    | { kind: 'symlink'; target: Uint8Array }
    | { kind: 'directory'; children: UploadEntries }
  )

/** A value, or a promise of one where it is not here yet: most entries of an upload need none. */
type Soon<T> = T | Promise<T>

/** Entries of a directory, or those at the top, each to be read before the next is asked for. */
export interface UploadEntries extends AsyncIterable<UploadEntry> {
  /** The next entry, undefined behind the last. */
  next(): Soon<UploadEntry | undefined>
}

/** The uploaded files of a request. Everything is read as it is asked for, and once. */
export interface Upload {
  /** Whether there was a multipart body at all. */
  present: boolean
  /** The entries at the top, directories among them as trees. */
  entries(): UploadEntries
}

/** The upload in a request's body; without a multipart body there are no entries. */
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
  return {
    present: true,
    entries: () => new DirectoryEntries('/', new PartCursor(readMultipart(body, boundary))),
  }
}

/** The content type of a request; one that makes no sense is none of an upload. */
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

/** The longest target of a symlink, in bytes: as long as a block may be. */
const symlinkLimit = 2 * 1024 * 1024

/**
 * Most segments of an entry's path. No tree that people make is as deep. The answer names each
 * directory with its whole path.
 */
const maxDepth = 1024

/** A part with the absolute, cleaned path that its name stands for. */
interface NamedPart {
  part: MultipartPart
  /** Empty where the part's disposition cannot be read: it is no entry of any directory. */
  path: string
  mode: number
  modified: UnixfsTime | undefined
}

/**
 * The parts of a body, with a look at the next before it is taken. Other requests have their turn between them: of small
 * files thousands are here at once, and nothing that is done with one of them needs to wait.
 */
class PartCursor {
  #next: NamedPart | undefined
  readonly #parts: PartReader
  readonly #slice = new TimeSlice()

  constructor(parts: PartReader) {
    this.#parts = parts
  }

  peek(): Soon<NamedPart | undefined> {
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

/** What `DirectoryEntries` found that is no entry. */
const skipped = Symbol('skipped')

/**
 * The entries of a directory: the parts that follow and lie below it (boxo, `files/multipartfile.go`).
 * A name with several segments makes directories that no part speaks of.
 */
class DirectoryEntries implements UploadEntries {
  readonly #prefix: string
  readonly #cursor: PartCursor
  /** What the parts below the current entry begin with: what its reader has left of them is skipped. */
  #below: string | undefined

  constructor(path: string, cursor: PartCursor) {
    this.#prefix = path.endsWith('/') ? path : `${path}/`
    this.#cursor = cursor
  }

  next(): Soon<UploadEntry | undefined> {
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

  #take(part: NamedPart | undefined): Soon<UploadEntry | undefined> | typeof skipped {
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

function toEntry(part: NamedPart, name: string, cursor: PartCursor): Soon<UploadEntry> {
  const { mode, modified } = part
  const contentType = part.part.headers.get('content-type')
  const type = contentType ? parseMediaType(contentType).value : ''
  const { content } = part.part
  if (type === 'application/x-directory' || type === 'multipart/form-data') {
    return { kind: 'directory', name, mode, modified, children: new DirectoryEntries(part.path, cursor) }
  }
  if (type === 'application/symlink') {
    return readAll(content, symlinkLimit).then((target) => ({
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
  const segments = cleanSegments(unescapeQuery(parameters.get('filename') ?? ''))
  if (segments.length > maxDepth) throw new RequestError(`path has more than ${maxDepth} segments`)
  const question = field.indexOf('?')
  const query = question < 0 ? undefined : new URLSearchParams(field.slice(question + 1))
  return {
    part,
    path: `/${segments.join('/')}`,
    mode: query === undefined ? 0 : parseMode(query.get('mode') ?? ''),
    modified: query && parseTime(query),
  }
}

function readDisposition({ headers }: MultipartPart): MediaType | undefined {
  try {
    return parseMediaType(headers.get('content-disposition') ?? '')
  } catch (error) {
    if (error instanceof MediaTypeError) return undefined
    throw error
  }
}

/** A mode in octal, of 32 bits; 0 where there is none, or nonsense. */
function parseMode(text: string): number {
  const mode = /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : 0
  return mode < 2 ** 32 ? mode : 0
}

const nanosecondsPerSecond = 1_000_000_000n

/**
 * As in boxo (`files/multipartfile.go`), a part with a mode and no time is from the beginning of 1970, and
 * nanoseconds of more than a second count as seconds.
 */
function parseTime(query: URLSearchParams): UnixfsTime | undefined {
  const seconds = query.get('mtime') ?? '0'
  if (!/^-?\d{1,18}$/.test(seconds)) return undefined
  const given = query.get('mtime-nsecs') ?? ''
  const total = /^-?\d{1,18}$/.test(given) ? BigInt(given) : 0n
  const within = ((total % nanosecondsPerSecond) + nanosecondsPerSecond) % nanosecondsPerSecond
  return {
    seconds: BigInt(seconds) + (total - within) / nanosecondsPerSecond,
    nanoseconds: Number(within),
  }
}

/** Go's `url.QueryUnescape`; a text that is not escaped properly stays as it is. */
function unescapeQuery(text: string): string {
  if (!/[%+]/.test(text)) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
