import {
  closeSync,
  constants,
  fdatasync,
  fdatasyncSync,
  ftruncateSync,
  openSync,
  read,
  readSync,
  readdirSync,
  rmSync,
  statSync,
  writev,
  writevSync,
} from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { FILE_MODE, createDirectory, hasOtherNames, syncDirectory } from './directories.js'

/** Reads up to this length stay on the thread: a page cache hit costs less than a hop. */
const SYNCHRONOUS_READ_LIMIT = 65_536
/** After this many such reads one does leave the thread, and the event loop goes round. */
const SYNCHRONOUS_READS_IN_ROW = 64
const OPEN_FILES_LIMIT = 64

const readAsync = promisify(read)
const writevAsync = promisify(writev)
const fdatasyncAsync = promisify(fdatasync)

interface OpenFile {
  descriptor: number
  /** Reads and writes under way on other threads. */
  users: number
  /** Whether it is closed behind the last of them. */
  isRetired: boolean
}

/** Where segments are, and how their files are named. */
export interface SegmentFilesOptions {
  /** Created if it is not there. */
  directory: string
  /** Digits of a segment's number in the name of its file, so that no two collide where case does not count. */
  digits: number
  extension: string
}

/**
 * The segments of a directory: numbered files that only grow. Their user records in an index of its own up to
 * where each is valid. What lies behind was never acknowledged: it is cut off at the next start, or overwritten.
 *
 * Files are opened on demand, at most 64 of them at a time. The operating system's page cache is the cache.
 */
export class SegmentFiles {
  readonly #options: SegmentFilesOptions
  /** The one used last is the last one. */
  readonly #open = new Map<number, OpenFile>()
  /** Segments whose names are on the medium. */
  readonly #named = new Set<number>()
  #readsInRow = 0

  constructor(options: SegmentFilesOptions) {
    this.#options = options
    createDirectory(options.directory)
  }

  /** The path of a segment's file. */
  pathOf(segment: number): string {
    const { directory, digits, extension } = this.#options
    return join(directory, `${String(segment).padStart(digits, '0')}.${extension}`)
  }

  /** The numbers of the files that exist, in rising order. */
  list(): number[] {
    const { directory, extension } = this.#options
    const pattern = new RegExp(`^(\\d+)\\.${extension}$`)
    return readdirSync(directory)
      .flatMap((name) => pattern.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((a, b) => a - b)
  }

  /** Bytes of a file, -1 if there is none. */
  size(segment: number): number {
    return statSync(this.pathOf(segment), { throwIfNoEntry: false })?.size ?? -1
  }

  /** Whether a file has another name, so that nothing may be written to it. */
  isShared(segment: number): boolean {
    return hasOtherNames(this.pathOf(segment))
  }

  /** Fills memory from an offset on as far as the file goes. @returns how many bytes there are */
  readSync(segment: number, offset: number, memory: Uint8Array): number {
    const { descriptor } = this.#fileOf(segment)
    for (let filled = 0; ;) {
      const length = memory.length - filled
      const count = length > 0 ? readSync(descriptor, memory, filled, length, offset + filled) : 0
      if (count === 0) return filled
      filled += count
    }
  }

  /**
   * Fills memory with the bytes at an offset and returns it. Where all reads stayed on the thread, a walk over a large DAG
   * would let nothing else run.
   *
   * @throws Error if the file ends before.
   */
  async read(segment: number, offset: number, memory: Uint8Array): Promise<Uint8Array> {
    const { length } = memory
    const isShort = length <= SYNCHRONOUS_READ_LIMIT
    if (isShort) this.#readsInRow = (this.#readsInRow + 1) % SYNCHRONOUS_READS_IN_ROW
    const filled =
      isShort && this.#readsInRow !== 0
        ? this.readSync(segment, offset, memory)
        : await this.#use(
            segment,
            async (file) => (await readAsync(file, memory, 0, length, offset)).bytesRead,
          )
    if (filled !== length) throw new Error(`segment ${segment} ends before offset ${offset + length}`)
    return memory
  }

  /** Writes all pieces, one behind the other, from a position on. @throws the system's error if the disk refuses. */
  writeSync(segment: number, position: number, pieces: readonly Uint8Array[]): void {
    writeSync(this.#fileOf(segment, constants.O_CREAT).descriptor, position, pieces)
  }

  /** The same without holding the thread. */
  write(segment: number, position: number, pieces: readonly Uint8Array[]): Promise<void> {
    return this.#use(
      segment,
      (file) =>
        writeBuffers(async (some, at) => (await writevAsync(file, some, at)).bytesWritten, position, pieces),
      constants.O_CREAT,
    )
  }

  /** Waits until a file, and its name, are on the medium. */
  flushSync(segment: number): void {
    fdatasyncSync(this.#fileOf(segment, constants.O_CREAT).descriptor)
    this.#flushName(segment)
  }

  /** The same without holding the thread. */
  async flush(segment: number): Promise<void> {
    await this.#use(segment, fdatasyncAsync)
    this.#flushName(segment)
  }

  #flushName(segment: number): void {
    if (this.#named.has(segment)) return
    syncDirectory(this.#options.directory)
    this.#named.add(segment)
  }

  /** Cuts off what lies behind a length. */
  truncate(segment: number, length: number): void {
    ftruncateSync(this.#fileOf(segment).descriptor, length)
  }

  /** Deletes a file, which is closed once its last reader is done. */
  remove(segment: number): void {
    this.#retire(segment)
    rmSync(this.pathOf(segment), { force: true })
  }

  close(): void {
    for (const segment of [...this.#open.keys()]) this.#retire(segment)
  }

  #fileOf(segment: number, flags = 0): OpenFile {
    let file = this.#open.get(segment)
    if (file === undefined) {
      const descriptor = openSync(this.pathOf(segment), constants.O_RDWR | flags, FILE_MODE)
      file = { descriptor, users: 0, isRetired: false }
    } else this.#open.delete(segment)
    this.#open.set(segment, file)
    if (this.#open.size > OPEN_FILES_LIMIT) {
      const [oldest] = this.#open.keys()
      if (oldest !== undefined) this.#retire(oldest)
    }
    return file
  }

  async #use<T>(segment: number, action: (descriptor: number) => Promise<T>, flags = 0): Promise<T> {
    const file = this.#fileOf(segment, flags)
    file.users++
    try {
      return await action(file.descriptor)
    } finally {
      file.users--
      closeUnused(file)
    }
  }

  #retire(segment: number): void {
    const file = this.#open.get(segment)
    if (file === undefined) return
    this.#open.delete(segment)
    file.isRetired = true
    closeUnused(file)
  }
}

function closeUnused({ descriptor, users, isRetired }: OpenFile): void {
  if (isRetired && users === 0) closeSync(descriptor)
}

/**
 * Bytes given to the system in one call, unless one buffer has more: fewer than 2 MiB. Linux takes memory for a file in
 * pieces as large as the call allows (large folios; for ext4 since 6.16), and one of 2 MiB often has to be put together, or
 * asked of the host, first: then the same bytes cost four to six times as much (docs/guides/performance.md).
 */
const CALL_LIMIT = 2 * 1024 * 1024 - 1

/** Writes buffers from a position on, and says how many bytes the system took. */
type WriteCall = (buffers: readonly Uint8Array[], position: number) => Promise<number>

/**
 * Writes all buffers, one after the other, from a position on. The calls do not wait for each other: each would wait for
 * the event loop. When one fails, the others have come to their end too.
 */
export async function writeBuffers(
  write: WriteCall,
  position: number,
  buffers: readonly Uint8Array[],
): Promise<void> {
  const calls: Promise<void>[] = []
  let at = position
  for (let start = 0; start < buffers.length;) {
    let end = start
    let bytes = 0
    for (; end < buffers.length; end++) {
      const { length } = buffers[end]!
      if (end > start && bytes + length > CALL_LIMIT) break
      bytes += length
    }
    calls.push(writeAll(write, at, buffers.slice(start, end)))
    at += bytes
    start = end
  }
  const failed = (await Promise.allSettled(calls)).find((call) => call.status === 'rejected')
  if (failed) throw failed.reason
}

async function writeAll(write: WriteCall, position: number, buffers: readonly Uint8Array[]): Promise<void> {
  let at = position
  for (let rest = buffers; rest.length > 0;) {
    const written = await write(rest, at)
    at += written
    rest = withoutFirst(rest, written)
  }
}

/** Where a file is opened for appending, and up to where it is valid. */
export interface AppendFileOptions {
  path: string
  /** Bytes that are kept; whatever lies behind them is cut off. */
  length: number
}

/**
 * A file that grows by whole pieces.
 *
 * A write that fails leaves the end where it was, so that the next one takes its place.
 */
export class AppendFile {
  readonly path: string
  #descriptor: number
  #length: number

  constructor({ path, length }: AppendFileOptions) {
    this.path = path
    this.#descriptor = openSync(path, length === 0 ? 'w' : 'r+', FILE_MODE)
    this.#length = length
    if (length > 0) ftruncateSync(this.#descriptor, length)
  }

  /** Bytes in the file. */
  get length(): number {
    return this.#length
  }

  /**
   * Appends pieces one behind the other, and with `sync` waits until they are on the medium.
   *
   * @throws the system's error if the disk refuses; the file is then as long as before.
   */
  append(pieces: readonly Uint8Array[], { sync = false }: { sync?: boolean } = {}): void {
    try {
      const end = writeSync(this.#descriptor, this.#length, pieces)
      if (sync) fdatasyncSync(this.#descriptor)
      this.#length = end
    } catch (error) {
      cutTail(this.#descriptor, this.#length)
      throw error
    }
  }

  close(): void {
    closeSync(this.#descriptor)
  }
}

/**
 * Writes all pieces, one behind the other, from a position on.
 *
 * @returns where they end
 * @throws the system's error if the disk refuses; the file ends at the position then, as far as the system lets it
 */
export function writeSync(descriptor: number, position: number, pieces: readonly Uint8Array[]): number {
  let end = position
  try {
    for (let rest = pieces.filter(({ length }) => length > 0); rest.length > 0;) {
      const written = writevSync(descriptor, rest, end)
      end += written
      rest = withoutFirst(rest, written)
    }
    return end
  } catch (error) {
    cutTail(descriptor, position)
    throw error
  }
}

function cutTail(descriptor: number, length: number): void {
  try {
    ftruncateSync(descriptor, length)
  } catch {
    // The tail is garbage that the next append overwrites and no reader accepts.
  }
}

/** Pieces without their first bytes: what a short write has left over. */
export function withoutFirst(pieces: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let skip = bytes
  const rest: Uint8Array[] = []
  for (const piece of pieces) {
    if (skip >= piece.length) skip -= piece.length
    else {
      rest.push(piece.subarray(skip))
      skip = 0
    }
  }
  return rest
}
