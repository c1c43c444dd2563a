import type { CID } from 'multiformats/cid'
import { cidKey } from '../cid/cidKey.js'
import { codecCode } from '../cid/makeCid.js'
import { FileNetworkError } from '../errors.js'
import type { Blockstore } from '../store/blockstore.js'
import { fileSizeOf, readEntry } from './entry.js'
import type { BlockSource, UnixfsEntry } from './entry.js'

/** Blocks that are fetched before the reader has asked for them. */
const readAhead = 2

/** Which bytes of a file to read. */
export interface ByteRange {
  start: number
  /** The first byte that is not read. */
  end: number
}

/** The bytes of a file within a range, block by block, in order, the caller's to keep. */
export function readFile(
  source: BlockSource,
  entry: UnixfsEntry,
  range: ByteRange = { start: 0, end: entry.size },
): AsyncGenerator<Uint8Array> {
  const lender: Lender = {
    lend: async (cid) => ({ bytes: await source.get(cid), giveBack: () => undefined }),
    mayReadAhead: () => true,
  }
  return readRange(lender, entry, range)
}

/**
 * The bytes of a file within a range as they lie in memory that is shared and used again: each piece is valid
 * until the next one is asked for.
 */
export function borrowFile(source: Lender, entry: UnixfsEntry, range: ByteRange): AsyncGenerator<Uint8Array> {
  return readRange(source, entry, range)
}

type Lender = Pick<Blockstore, 'lend' | 'mayReadAhead'>
type LentBlock = Awaited<ReturnType<Lender['lend']>>

async function* readRange(lender: Lender, entry: UnixfsEntry, range: ByteRange): AsyncGenerator<Uint8Array> {
  if (range.start >= range.end) return
  if (entry.node === undefined) {
    yield entry.block.subarray(range.start, range.end)
    return
  }
  const { unixfs, links } = entry.node
  const own = unixfs.data ?? new Uint8Array()
  if (range.start < own.length) yield own.subarray(range.start, Math.min(range.end, own.length))
  if (links.length === 0) return
  if (links.length !== unixfs.blockSizes.length) {
    throw new FileNetworkError('not a valid UnixFS node: inconsistent number of links and block sizes')
  }
  yield* readChildren(lender, { entry, range, childrenStart: own.length })
}

async function* readChildren(
  lender: Lender,
  options: { entry: UnixfsEntry; range: ByteRange; childrenStart: number },
): AsyncGenerator<Uint8Array> {
  const { entry, range } = options
  const links = entry.node?.links ?? []
  const sizes = entry.node?.unixfs.blockSizes ?? []
  const wanted: { index: number; start: number; end: number }[] = []
  let position = options.childrenStart
  for (const [index, size] of sizes.entries()) {
    const start = Math.max(range.start - position, 0)
    const end = Math.min(range.end - position, size)
    if (start < end) wanted.push({ index, start, end })
    position += size
  }

  const fetched: Promise<LentBlock>[] = []
  let next = 0
  const mayFetch = (ahead: number): boolean => ahead === 0 || (ahead <= readAhead && lender.mayReadAhead())
  try {
    for (const { index, start, end } of wanted) {
      for (; next < wanted.length && mayFetch(fetched.length); next++) {
        const link = links[wanted[next]?.index ?? 0]
        const block = link ? lender.lend(link.cid) : Promise.reject(new Error('link without a size'))
        block.catch(() => undefined)
        fetched.push(block)
      }
      const { bytes, giveBack } = await (fetched[0] as Promise<LentBlock>)
      void fetched.shift()
      try {
        yield* readBlock(lender, { cid: links[index]?.cid as CID, bytes, size: sizes[index], start, end })
      } finally {
        giveBack()
      }
    }
  } finally {
    for (const block of fetched) {
      void block.then(
        ({ giveBack }) => giveBack(),
        () => undefined,
      )
    }
  }
}

async function* readBlock(
  lender: Lender,
  block: ByteRange & { cid: CID; bytes: Uint8Array; size: number | undefined },
): AsyncGenerator<Uint8Array> {
  const { cid, bytes, size, start, end } = block
  if (cid.code === codecCode.raw) {
    checkSize(bytes.length, size)
    yield bytes.subarray(start, end)
    return
  }
  const child = readEntry(cid, bytes)
  if (child.node) checkSize(fileSizeOf(child.node), size)
  yield* readRange(lender, child, { start, end })
}

function checkSize(actual: number, announced: number | undefined): void {
  if (actual === announced) return
  throw new FileNetworkError('not a valid UnixFS node: a block is not as long as its parent says')
}

/**
 * The blocks that bytes of a file need, its root first; what none of them lie in is left out. A part of the file that
 * lies in the range as a whole is walked once, however often it is repeated: a few blocks can make a file of any size.
 */
export async function* blocksOfRange(source: BlockSource, root: CID, range: ByteRange): AsyncGenerator<CID> {
  const walked = new Set<string>()
  yield* blocksBelow(root, range)

  async function* blocksBelow(cid: CID, { start, end }: ByteRange): AsyncGenerator<CID> {
    yield cid
    const { node } = readEntry(cid, await source.get(cid))
    let position = node?.unixfs.data?.length ?? 0
    for (const [index, size] of (node?.unixfs.blockSizes ?? []).entries()) {
      const wanted = { start: Math.max(start - position, 0), end: Math.min(end - position, size) }
      position += size
      const link = node?.links[index]
      if (link === undefined || wanted.start >= wanted.end) continue
      if (wanted.end - wanted.start === size) {
        const part = `${size} ${cidKey(link.cid)}`
        if (walked.has(part)) continue
        walked.add(part)
      }
      yield* blocksBelow(link.cid, wanted)
    }
  }
}
