import { constants, readSync } from 'node:fs'
import { type FileHandle, open, readdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { FILE_MODE, hasOtherNames, syncDirectory } from '../directories.js'
import type { IndexDatabase } from './indexDatabase.js'
import { segmentRowKey } from './rows.js'

/** Blocks up to this size are read without leaving the thread: a page cache hit costs less than a hop. */
const synchronousReadLimit = 65_536
/** So many such reads may follow each other; then one does leave it, and the event loop goes round. */
const synchronousReadsInRow = 64
const openFilesLimit = 64

interface OpenSegment {
  handle: Promise<FileHandle>
  readers: number
  retired: boolean
}

/** The segment files of a directory, opened on demand, at most 64 of them at a time. */
export interface SegmentFiles {
  /** Numbers of the files that exist, in rising order. */
  list(): Promise<number[]>
  /** Size of a file in bytes, -1 when there is none. */
  size(segment: number): Promise<number>
  /** Whether a file has another name, so that nothing may be written to it. */
  isShared(segment: number): boolean
  /** Fills memory with the bytes at a place and returns it. */
  read(segment: number, offset: number, memory: Uint8Array): Promise<Uint8Array>
  /** Writes all buffers, one after the other, from a position on. */
  write(segment: number, position: number, buffers: Uint8Array[]): Promise<void>
  /** Waits until a file, and its name, are on the medium. */
  flush(segment: number): Promise<void>
  truncate(segment: number, length: number): Promise<void>
  /** Deletes a file once its last reader is done. */
  remove(segment: number): Promise<void>
  close(): Promise<void>
}

/** File names are eight decimal digits, so that no two collide where case does not count. */
function fileName(segment: number): string {
  return `${String(segment).padStart(8, '0')}.blocks`
}

/** Opens the segment files in a directory, which must exist. */
export function createSegmentFiles(directory: string): SegmentFiles {
  const opened = new Map<number, OpenSegment>()
  /** Files whose names are on the medium. */
  const named = new Set<number>()
  let readsInRow = 0

  /** Whether a read stays on the thread: where all of them do, a walk over a large DAG lets nothing else run. */
  function staysOnThread(length: number): boolean {
    if (length > synchronousReadLimit) return false
    readsInRow = (readsInRow + 1) % synchronousReadsInRow
    return readsInRow !== 0
  }

  /** A file for one more reader, who is counted before anything else may close it. */
  function acquire(segment: number, flags: number): OpenSegment {
    const file = opened.get(segment) ?? openSegment(segment, flags)
    file.readers++
    opened.delete(segment)
    opened.set(segment, file)
    return file
  }

  function openSegment(segment: number, flags: number): OpenSegment {
    const file = {
      handle: open(join(directory, fileName(segment)), flags, FILE_MODE),
      readers: 0,
      retired: false,
    }
    file.handle.catch(() => {
      if (opened.get(segment) === file) opened.delete(segment)
    })
    return file
  }

  async function release(file: OpenSegment): Promise<void> {
    file.readers--
    if (file.retired && file.readers === 0) await close(file)
  }

  async function retire(segment: number): Promise<void> {
    const file = opened.get(segment)
    if (file === undefined) return
    opened.delete(segment)
    file.retired = true
    if (file.readers === 0) await close(file)
  }

  /** What could not be opened needs no closing. */
  async function close({ handle }: OpenSegment): Promise<void> {
    const openedHandle = await handle.catch(() => undefined)
    await openedHandle?.close()
  }

  async function closeIdle(): Promise<void> {
    for (const segment of opened.keys()) {
      if (opened.size <= openFilesLimit) return
      await retire(segment)
    }
  }

  async function use<T>(
    segment: number,
    flags: number,
    action: (handle: FileHandle) => Promise<T> | T,
  ): Promise<T> {
    const file = acquire(segment, flags)
    try {
      if (opened.size > openFilesLimit) await closeIdle()
      return await action(await file.handle)
    } finally {
      await release(file)
    }
  }

  return {
    async list() {
      const names = await readdir(directory)
      return names
        .map((name) => /^(\d{8})\.blocks$/.exec(name)?.[1])
        .filter((digits) => digits !== undefined)
        .map(Number)
        .sort((a, b) => a - b)
    },
    async size(segment) {
      const path = join(directory, fileName(segment))
      const handle = await open(path, 'r').catch(() => undefined)
      if (handle === undefined) return -1
      const { size } = await handle.stat()
      await handle.close()
      return size
    },
    isShared: (segment) => hasOtherNames(join(directory, fileName(segment))),
    read: (segment, offset, memory) =>
      use(segment, constants.O_RDWR, async (handle) => {
        const { length } = memory
        const bytesRead = staysOnThread(length)
          ? readSync(handle.fd, memory, 0, length, offset)
          : (await handle.read(memory, 0, length, offset)).bytesRead
        if (bytesRead !== length) throw new Error(`segment ${segment} ends before offset ${offset + length}`)
        return memory
      }),
    write: (segment, position, buffers) =>
      use(segment, constants.O_RDWR | constants.O_CREAT, (handle) => writeBuffers(handle, position, buffers)),
    async flush(segment) {
      await use(segment, constants.O_RDWR, (handle) => handle.datasync())
      if (named.has(segment)) return
      syncDirectory(directory)
      named.add(segment)
    },
    truncate: (segment, length) => use(segment, constants.O_RDWR, (handle) => handle.truncate(length)),
    async remove(segment) {
      await retire(segment)
      await unlink(join(directory, fileName(segment))).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error
      })
    },
    async close() {
      await Promise.all([...opened.keys()].map(retire))
    },
  }
}

/**
 * Bytes given to the system in one call, unless one buffer has more: fewer than 2 MiB. Linux takes memory for a file in
 * pieces as large as the call allows (large folios; for ext4 since 6.16), and one of 2 MiB often has to be put together, or
 * asked of the host, first: then the same bytes cost four to six times as much (docs/guides/performance.md).
 */
const callLimit = 2 * 1024 * 1024 - 1

/**
 * Writes all buffers, one after the other, from a position on. The calls do not wait for each other: each would wait for
 * the event loop. When one fails, the others have come to their end too.
 */
export async function writeBuffers(
  handle: FileHandle,
  position: number,
  buffers: Uint8Array[],
): Promise<void> {
  const calls: Promise<void>[] = []
  let at = position
  for (let start = 0; start < buffers.length;) {
    const { end, bytes } = oneCall(buffers, start)
    calls.push(write(handle, at, { buffers: buffers.slice(start, end), bytes }))
    at += bytes
    start = end
  }
  const failed = (await Promise.allSettled(calls)).find((call) => call.status === 'rejected')
  if (failed) throw failed.reason
}

/** How many bytes go in one call from a buffer on, and before which buffer it ends. */
function oneCall(buffers: Uint8Array[], start: number): { end: number; bytes: number } {
  let bytes = 0
  let end = start
  for (; end < buffers.length; end++) {
    const { length } = buffers[end] as Uint8Array
    if (end > start && bytes + length > callLimit) break
    bytes += length
  }
  return { end, bytes }
}

/** Writes buffers in one call, and what the system leaves over in further ones. */
async function write(
  handle: FileHandle,
  position: number,
  { buffers, bytes }: { buffers: Uint8Array[]; bytes: number },
): Promise<void> {
  const { bytesWritten } = await handle.writev(buffers, position)
  if (bytesWritten === bytes) return
  const rest = Buffer.concat(buffers).subarray(bytesWritten)
  for (let done = 0; done < rest.length;) {
    const at = position + bytesWritten + done
    done += (await handle.write(rest, done, rest.length - done, at)).bytesWritten
  }
}

/**
 * Deletes a segment that has no living block: the file first, for a file without a row is one that the index has lost,
 * and its blocks would come back.
 */
export async function removeSegment(
  database: IndexDatabase,
  files: SegmentFiles,
  segment: number,
): Promise<void> {
  await files.remove(segment)
  await database.del(segmentRowKey(segment))
}
