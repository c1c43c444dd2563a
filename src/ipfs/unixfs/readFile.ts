import { codecCode } from '../cid/makeCid.js'
import { FileNetworkError } from '../errors.js'
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

/** The bytes of a file within a range, block by block, in order. */
export async function* readFile(
  source: BlockSource,
  entry: UnixfsEntry,
  range: ByteRange = { start: 0, end: entry.size },
): AsyncGenerator<Uint8Array> {
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
  yield* readChildren(source, { entry, range, childrenStart: own.length })
}

async function* readChildren(
  source: BlockSource,
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

  const fetching: Promise<Uint8Array>[] = []
  for (const [turn, { index, start, end }] of wanted.entries()) {
    while (fetching.length < wanted.length && fetching.length <= turn + readAhead) {
      const next = links[wanted[fetching.length]?.index ?? 0]
      const block = next ? source.get(next.cid) : Promise.reject(new Error('link without a size'))
      block.catch(() => undefined)
      fetching.push(block)
    }
    const block = await (fetching[turn] as Promise<Uint8Array>)
    delete fetching[turn]
    const cid = links[index]?.cid
    if (cid === undefined) return
    if (cid.code === codecCode.raw) {
      checkSize(block.length, sizes[index])
      yield block.subarray(start, end)
      continue
    }
    const child = readEntry(cid, block)
    if (child.node) checkSize(fileSizeOf(child.node), sizes[index])
    yield* readFile(source, child, { start, end })
  }
}

function checkSize(actual: number, announced: number | undefined): void {
  if (actual === announced) return
  throw new FileNetworkError('not a valid UnixFS node: a block is not as long as its parent says')
}
