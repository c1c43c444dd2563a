import { cleanSegments } from '../cleanSegments.js'
import { RequestError } from '../errors.js'
import type { UnixfsTime } from '../unixfs/data.js'
import { parseParameterized, readMultipart } from './multipart.js'
import type { MultipartPart } from './multipart.js'

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
    | { kind: 'file'; content: AsyncIterable<Uint8Array> }
    | { kind: 'symlink'; target: Uint8Array }
    | { kind: 'directory'; children: AsyncIterable<UploadEntry> }
  )

/** The uploaded files of a request. Everything is read as it is asked for, and once. */
export interface Upload {
  /** Whether there was a multipart body at all. */
  present: boolean
  /** The entries at the top, directories among them as trees. */
  entries(): AsyncIterable<UploadEntry>
}

/** The upload in a request's body; without a multipart body there are no entries. */
export function createUpload(
  contentType: string | undefined,
  body: AsyncIterable<Uint8Array> | undefined,
): Upload {
  const { value, parameters } = parseParameterized(contentType ?? '')
  if (value !== 'multipart/form-data' || body === undefined) {
    return { present: false, entries: async function* () {} }
  }
  const boundary = parameters.get('boundary')
  if (!boundary) throw new RequestError('no multipart boundary param in Content-Type')
  return {
    present: true,
    entries: () => childrenOf('/', new PartCursor(readMultipart(body, boundary))),
  }
}

/** A part with the absolute, cleaned path that its name stands for. */
interface NamedPart {
  part: MultipartPart
  path: string
  type: string
  mode: number
  modified: UnixfsTime | undefined
}

/** The parts of a body, with a look at the next before it is taken. */
class PartCursor {
  private next: NamedPart | undefined
  private readonly parts: AsyncIterator<MultipartPart>

  constructor(parts: AsyncIterator<MultipartPart>) {
    this.parts = parts
  }

  async peek(): Promise<NamedPart | undefined> {
    if (this.next === undefined) {
      const result = await this.parts.next()
      if (!result.done) this.next = describePart(result.value)
    }
    return this.next
  }

  take(): void {
    this.next = undefined
  }
}

/**
 * The entries of a directory: the parts that follow and lie below it (boxo, `files/multipartfile.go`).
 * A name with several segments makes directories that no part speaks of.
 */
async function* childrenOf(path: string, cursor: PartCursor): AsyncGenerator<UploadEntry> {
  const prefix = path.endsWith('/') ? path : `${path}/`
  let current = ''
  for (;;) {
    const next = await cursor.peek()
    if (next === undefined || !next.path.startsWith(prefix)) return
    if (current !== '' && next.path.startsWith(`${prefix}${current}/`)) {
      cursor.take()
      continue
    }
    const relative = next.path.slice(prefix.length)
    const slash = relative.indexOf('/')
    if (slash >= 0) {
      current = relative.slice(0, slash)
      const children = childrenOf(prefix + current, cursor)
      yield { kind: 'directory', name: current, mode: 0, modified: undefined, children }
      continue
    }
    cursor.take()
    current = relative
    yield await toEntry(next, current, cursor)
  }
}

async function toEntry(part: NamedPart, name: string, cursor: PartCursor): Promise<UploadEntry> {
  const { mode, modified } = part
  if (part.type === 'application/x-directory' || part.type === 'multipart/form-data') {
    return { kind: 'directory', name, mode, modified, children: childrenOf(part.path, cursor) }
  }
  if (part.type === 'application/symlink') {
    const target: Uint8Array[] = []
    for await (const bytes of part.part.body) target.push(Uint8Array.from(bytes))
    return { kind: 'symlink', name, mode, modified, target: Buffer.concat(target) }
  }
  return { kind: 'file', name, mode, modified, content: part.part.body }
}

function describePart(part: MultipartPart): NamedPart {
  const { parameters } = parseParameterized(part.headers.get('content-disposition') ?? '')
  const field = parameters.get('name') ?? ''
  const question = field.indexOf('?')
  const query = question < 0 ? undefined : new URLSearchParams(field.slice(question + 1))
  return {
    part,
    path: `/${cleanSegments(unescapeQuery(parameters.get('filename') ?? '')).join('/')}`,
    type: parseParameterized(part.headers.get('content-type') ?? '').value,
    mode: query === undefined ? 0 : parseMode(query.get('mode') ?? ''),
    modified: query && parseTime(query),
  }
}

/** A mode in octal; 0 where there is none, or nonsense. */
function parseMode(text: string): number {
  return /^[0-7]{1,11}$/.test(text) ? Number.parseInt(text, 8) : 0
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
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
