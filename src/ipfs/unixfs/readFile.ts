import type { CID } from 'multiformats/cid'
import { type Steps, TimeSlice, runInSlices, runToCompletion } from '../../encoding/timeSlice.js'
import { type VisitedSet, cidKey, codecCode } from '../cid/cidFormat.js'
import { LINKS_AT_ONCE } from '../dag/dagPb.js'
import type { PooledBlock } from '../../storage/files/bufferPool.js'
import { FileNetworkError, withoutName } from '../errors.js'
import type { Blockstore } from '../store/blockstore.js'
import { type BlockSource, type UnixfsEntry, fileSizeOf, loadEntry, readEntry } from './entry.js'

/** Blocks fetched ahead of the reader. */
const READ_AHEAD = 2

/** Range of bytes within a file. */
export interface ByteRange {
  start: number
  /** End of the range, exclusive. */
  end: number
}

/** Yields a range of a file block by block. The caller may keep the pieces. */
export function readFile(
  source: BlockSource,
  entry: UnixfsEntry,
  range: ByteRange = { start: 0, end: entry.size },
): AsyncGenerator<Uint8Array> {
  const owned: PooledSource = {
    acquire: async (cid) => ({ bytes: await source.get(cid), release: () => undefined }),
    mayReadAhead: true,
  }
  return readRange(owned, entry, range)
}

/** Source of blocks in pooled buffers. */
type PooledSource = Pick<Blockstore, 'acquire' | 'mayReadAhead'>

/** An inner node whose children are being read. */
interface Level {
  wanted: WantedChild[]
  /** Number of children read. */
  done: number
  /** Children that follow, as far as requested. */
  fetched: Promise<PooledBlock>[]
  /** Releases the node's own block, which holds its links. */
  release(): void
}

/** A child that overlaps the range. */
interface WantedChild extends ByteRange {
  cid: CID
  /** Bytes of the file below it, according to its parent. */
  size: number
}

/**
 * Yields a range of a file in pooled buffers: each piece is valid until the next is requested. Uses an explicit stack:
 * with recursion, every piece would pass through all levels above it.
 */
export async function* readRange(
  source: PooledSource,
  root: UnixfsEntry,
  range: ByteRange,
): AsyncGenerator<Uint8Array> {
  if (range.start >= range.end) return
  if (root.node === undefined) {
    yield root.block.subarray(range.start, range.end)
    return
  }
  const levels: Level[] = []
  const slice = new TimeSlice()
  try {
    const own = ownBytes(root, range)
    if (own) yield own
    levels.push({ wanted: await wantedOf(root, range), done: 0, fetched: [], release: () => undefined })
    for (let level = levels.at(-1); level; level = levels.at(-1)) {
      const pause = slice.pause()
      if (pause !== undefined) await pause
      const child = level.wanted[level.done]
      if (child === undefined) {
        levels.pop()
        level.release()
        continue
      }
      fetchAhead(source, level)
      const { bytes, release } = await (level.fetched[0] as Promise<PooledBlock>).catch((error: unknown) => {
        // boxo requests several children at once.
        throw withoutName(error)
      })
      void level.fetched.shift()
      level.done++
      let below: Level | undefined
      try {
        if (child.cid.code === codecCode.raw) {
          checkSize(bytes.length, child.size)
          yield bytes.subarray(child.start, child.end)
        } else {
          const entry = await readEntry(child.cid, bytes)
          if (entry.node) checkSize(fileSizeOf(entry.node), child.size)
          const own = ownBytes(entry, child)
          if (own) yield own
          const wanted = await wantedOf(entry, child)
          if (wanted.length > 0) below = { wanted, done: 0, fetched: [], release }
        }
      } finally {
        if (below) levels.push(below)
        else release()
      }
    }
  } finally {
    for (const level of levels) releaseAll(level)
  }
}

/** Returns the part of a range that lies in the node itself, if any. */
function ownBytes({ node }: UnixfsEntry, { start, end }: ByteRange): Uint8Array | undefined {
  const own = node?.unixfs.data
  return own !== undefined && start < own.length ? own.subarray(start, Math.min(end, own.length)) : undefined
}

/** Returns the children that overlap a range; yields meanwhile if there are many. */
async function wantedOf(entry: UnixfsEntry, range: ByteRange): Promise<WantedChild[]> {
  const children = wantedChildren(entry, range)
  const isLong = (entry.node?.links.length ?? 0) > LINKS_AT_ONCE
  return isLong ? runInSlices(children, new TimeSlice()) : runToCompletion(children)
}

function* wantedChildren({ node }: UnixfsEntry, range: ByteRange): Steps<WantedChild[]> {
  const wanted: WantedChild[] = []
  if (node === undefined || node.links.length === 0) return wanted
  const { unixfs, links } = node
  if (links.length !== unixfs.blockSizes.length) {
    throw new FileNetworkError('not a valid UnixFS node: inconsistent number of links and block sizes')
  }
  let position = unixfs.data?.length ?? 0
  for (const [index, { cid }] of links.entries()) {
    const size = unixfs.blockSizes[index] as number
    const start = Math.max(range.start - position, 0)
    const end = Math.min(range.end - position, size)
    if (start < end) wanted.push({ cid, size, start, end })
    position += size
    if (index % LINKS_AT_ONCE === 0) yield
  }
  return wanted
}

function fetchAhead(source: PooledSource, { wanted, done, fetched }: Level): void {
  const mayFetch = (ahead: number): boolean => ahead === 0 || (ahead <= READ_AHEAD && source.mayReadAhead)
  while (mayFetch(fetched.length)) {
    const child = wanted[done + fetched.length]
    if (child === undefined) return
    const block = source.acquire(child.cid)
    block.catch(() => undefined)
    fetched.push(block)
  }
}

function releaseAll({ fetched, release }: Level): void {
  release()
  for (const block of fetched) {
    void block.then(
      (acquired) => acquired.release(),
      () => undefined,
    )
  }
}

function checkSize(actual: number, announced: number | undefined): void {
  if (actual === announced) return
  throw new FileNetworkError('not a valid UnixFS node: a block is not as long as its parent says')
}

/**
 * Yields the CIDs of the blocks that hold a range of a file, root first.
 *
 * @param walked - subtrees fully inside the range, to visit only once: a few blocks can make a file of any size
 */
export async function* blocksOfRange(
  source: BlockSource,
  root: CID,
  range: ByteRange,
  walked: VisitedSet,
): AsyncGenerator<CID> {
  const stack: { cid: CID; range: ByteRange; part: string | undefined }[] = [
    { cid: root, range, part: undefined },
  ]
  for (let top = stack.pop(); top; top = stack.pop()) {
    const { cid, part } = top
    if (part !== undefined) {
      if (walked.has(part)) continue
      walked.add(part)
    }
    yield cid
    const below = await wantedOf(await loadEntry(source, cid), top.range)
    const slice = new TimeSlice()
    for (const { cid: child, size, start, end } of below.reverse()) {
      const isWhole = end - start === size
      stack.push({
        cid: child,
        range: { start, end },
        part: isWhole ? `${size} ${cidKey(child)}` : undefined,
      })
      if (stack.length % LINKS_AT_ONCE === 0) await slice.pause()
    }
  }
}
