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

/** Reads up to this length stay on the thread: a page cache hit costs less than a thread switch. */
const SYNCHRONOUS_READ_LIMIT = 65_536
/** One in this many such reads leaves the thread, to let the event loop turn. */
const SYNCHRONOUS_READS_IN_ROW = 64
const OPEN_FILES_LIMIT = 64

const readAsync = promisify(read)
const writevAsync = promisify(writev)
const fdatasyncAsync = promisify(fdatasync)

interface OpenFile {
  descriptor: number
  /** Reads and writes in progress on other threads. */
  users: number
  /** Whether to close it after the last of them. */
  isRetired: boolean
}

/** Location and naming of segment files. */
export interface SegmentFilesOptions {
  /** Created if missing. */
  directory: string
  /** Digits of the segment number in file names, so that no two collide on case-insensitive file systems. */
  digits: number
  extension: string
}

/**
 * Segments of a directory: numbered files that only grow. The user's own index records where each one validly ends.
 * Later bytes were never acknowledged: they are cut off at the next start, or overwritten.
 *
 * Files are opened on demand, at most 64 at a time. The operating system's page cache is the cache.
 */
export class SegmentFiles {
  readonly #options: SegmentFilesOptions
  /** Most recently used last. */
  readonly #open = new Map<number, OpenFile>()
  /** Segments whose names are on the medium. */
  readonly #named = new Set<number>()
  #readsInRow = 0

  constructor(options: SegmentFilesOptions) {
    this.#options = options
    createDirectory(options.directory)
  }

  /** Returns the path of a segment's file. */
  pathOf(segment: number): string {
    const { directory, digits, extension } = this.#options
    return join(directory, `${String(segment).padStart(digits, '0')}.${extension}`)
  }

  /** Returns the numbers of existing files in ascending order. */
  list(): number[] {
    const { directory, extension } = this.#options
    const pattern = new RegExp(`^(\\d+)\\.${extension}$`)
    return readdirSync(directory)
      .flatMap((name) => pattern.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((a, b) => a - b)
  }

  /** Returns the size of a file in bytes, -1 if it does not exist. */
  size(segment: number): number {
    return statSync(this.pathOf(segment), { throwIfNoEntry: false })?.size ?? -1
  }

  /** Returns whether a file has another name, so that it must not be written to. */
  isShared(segment: number): boolean {
    return hasOtherNames(this.pathOf(segment))
  }

  /** Fills memory from an offset on, up to the end of the file. @returns the number of bytes read */
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
   * Fills memory with the bytes at an offset and returns it. Some reads leave the thread even if short: otherwise a
   * walk over a large DAG would let nothing else run.
   *
   * @throws Error if the file ends too early
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

  /** Writes pieces consecutively from a position on. @throws the system's error if the disk refuses */
  writeSync(segment: number, position: number, pieces: readonly Uint8Array[]): void {
    writeSync(this.#fileOf(segment, constants.O_CREAT).descriptor, position, pieces)
  }

  /** Asynchronous {@link writeSync}. */
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

  /** Asynchronous {@link flushSync}. */
  async flush(segment: number): Promise<void> {
    await this.#use(segment, fdatasyncAsync)
    this.#flushName(segment)
  }

  #flushName(segment: number): void {
    if (this.#named.has(segment)) return
    syncDirectory(this.#options.directory)
    this.#named.add(segment)
  }

  /** Truncates a file to a length. */
  truncate(segment: number, length: number): void {
    ftruncateSync(this.#fileOf(segment).descriptor, length)
  }

  /** Deletes a file, and closes it after its last reader. */
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
 * Maximum bytes per system call, unless a single buffer is larger: just below 2 MiB. Linux allocates page cache in
 * pieces as large as the call allows (large folios; for ext4 since 6.16), and one of 2 MiB often has to be compacted,
 * or requested from the host, first. The same bytes then cost four to six times as much (docs/guides/performance.md).
 */
const CALL_LIMIT = 2 * 1024 * 1024 - 1

/** Writes buffers from a position on and returns how many bytes the system took. */
type WriteCall = (buffers: readonly Uint8Array[], position: number) => Promise<number>

/**
 * Writes buffers consecutively from a position on. The calls run concurrently, because each would otherwise wait for
 * the event loop. If one fails, the others have ended too.
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

/** Options for opening a file for appending. */
export interface AppendFileOptions {
  path: string
  /** Bytes to keep; the rest is cut off. */
  length: number
}

/**
 * File that grows by whole pieces.
 *
 * A failed write leaves the end where it was, so that the next one overwrites it.
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

  /** File length in bytes. */
  get length(): number {
    return this.#length
  }

  /**
   * Appends pieces consecutively; with `sync`, waits until they are on the medium.
   *
   * @throws the system's error if the disk refuses; the file then keeps its length
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
 * Writes pieces consecutively from a position on.
 *
 * @returns the end position
 * @throws the system's error if the disk refuses; the file is then truncated to the position, as far as the system
 * allows
 */
function writeSync(descriptor: number, position: number, pieces: readonly Uint8Array[]): number {
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

/** Drops the first bytes of a list of pieces, to continue after a short write. */
function withoutFirst(pieces: readonly Uint8Array[], bytes: number): Uint8Array[] {
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
