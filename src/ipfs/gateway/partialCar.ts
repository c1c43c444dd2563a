import type { CID } from 'multiformats/cid'
import { LargeSet } from '../../encoding/largeMap.js'
import { type VisitedSet, cidKey, codecCode, forgetful } from '../cid/cidFormat.js'
import { FileNetworkError } from '../errors.js'
import { carSection, encodeCarHeader } from '../dag/car.js'
import { linksOf, walkSelected } from '../dag/links.js'
import { type BlockSource, type UnixfsEntry, readEntry } from '../unixfs/entry.js'
import { isIdentity } from '../store/blockstore.js'
import { isShardedEntry, shardBlocks } from '../unixfs/readDirectory.js'
import { type ByteRange, blocksOfRange } from '../unixfs/readFile.js'

/** How much of the DAG below the end of the path goes into a CAR. */
export type DagScope = 'all' | 'entity' | 'block'

/** Inclusive byte range of a file. Negative numbers count from the end; `to` is undefined for the end. */
export interface EntityBytes {
  from: number
  to: number | undefined
}

/** Parameters of a CAR request (https://specs.ipfs.tech/http-gateways/trustless-gateway/). */
export interface CarParameters {
  scope: DagScope
  /** Restricts a file to the blocks that hold these bytes. */
  bytes: EntityBytes | undefined
  /** Whether to send a block once per link instead of once. */
  repeats: boolean
}

/** The part of a DAG to put into a CAR. */
export interface PartialDag extends CarParameters {
  /** End of the path: the CAR's root. */
  end: CID
  /** Blocks on the path. */
  pathBlocks: CID[]
}

/** Yields a CARv1 of the blocks on a path and below its end, which is the CAR's root. */
export async function* partialCar(store: BlockSource, wanted: PartialDag): AsyncGenerator<Uint8Array> {
  const source = rememberLast(store)
  yield encodeCarHeader(wanted.end)
  const sent = walkedSet(wanted.repeats)
  try {
    for await (const cid of blocksOf(source, wanted)) {
      const key = cidKey(cid)
      // A block with an identity CID is not sent (go-car, `StoreIdentityCIDs`).
      if (sent.has(key) || isIdentity(cid)) continue
      sent.add(key)
      yield* carSection(cid, await source.get(cid))
    }
  } catch (error) {
    // Like boxo, end the CAR at a missing or unreadable block: clients check that it is complete.
    if (!(error instanceof FileNetworkError)) throw error
  }
}

/** Caches the last block read: the walk and the writer request each block in turn. */
function rememberLast(source: BlockSource): BlockSource {
  let last: { key: string; bytes: ReturnType<BlockSource['get']> } | undefined
  return {
    get(cid) {
      const key = cidKey(cid)
      if (last?.key !== key) last = { key, bytes: source.get(cid) }
      return last.bytes
    },
  }
}

async function* blocksOf(source: BlockSource, wanted: PartialDag): AsyncGenerator<CID> {
  const { end, pathBlocks, scope } = wanted
  yield* pathBlocks
  await linksOf(end, await source.get(end))
  if (scope === 'block') yield end
  else if (scope === 'entity') yield* entityBlocks(source, wanted)
  else yield* dagBlocks(source, wanted)
}

/** Yields the blocks of a file, or of a range in it; for a directory, only those needed to list it. */
async function* entityBlocks(source: BlockSource, wanted: PartialDag): AsyncGenerator<CID> {
  const { end, bytes, repeats } = wanted
  const block = await source.get(end)
  const entry = end.code === codecCode.dagPb ? await readEntry(end, block) : undefined
  if (entry?.type === 'file') {
    if (bytes === undefined) yield* dagBlocks(source, wanted)
    else yield* blocksOfRange(source, end, rangeOf(entry, bytes), walkedSet(repeats))
    return
  }
  yield end
  if (entry !== undefined && isShardedEntry(entry)) yield* shardBlocks(source, entry, walkedSet(repeats))
}

async function* dagBlocks(source: BlockSource, { end, repeats }: PartialDag): AsyncGenerator<CID> {
  for await (const { cid } of walkSelected(source, end, walkedSet(repeats))) yield cid
}

function walkedSet(repeats: boolean): VisitedSet {
  return repeats ? forgetful : new LargeSet()
}

function rangeOf({ size }: UnixfsEntry, { from, to }: EntityBytes): ByteRange {
  const place = (position: number): number => Math.max(0, position < 0 ? size + position : position)
  return { start: place(from), end: to === undefined ? size : Math.min(size, place(to) + 1) }
}
