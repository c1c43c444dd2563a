import type { CID } from 'multiformats/cid'
import { type VisitedSet, cidKey, codecCode, forgetful } from '../cid/cidFormat.js'
import { FileNetworkError } from '../errors.js'
import { encodeCarHeader, encodeCarSection } from '../dag/car.js'
import { linksOf, walkDag } from '../dag/links.js'
import { type BlockSource, type UnixfsEntry, readEntry } from '../unixfs/entry.js'
import { isIdentity } from '../store/blockstore.js'
import { isShardedEntry, shardBlocks } from '../unixfs/readDirectory.js'
import { type ByteRange, blocksOfRange } from '../unixfs/readFile.js'

/** How much of a DAG a CAR has below its end. */
export type DagScope = 'all' | 'entity' | 'block'

/** Bytes of a file, first and last; negative numbers count from its end, which is where there is no last. */
export interface EntityBytes {
  from: number
  to: number | undefined
}

/** What a request for a CAR asks for (https://specs.ipfs.tech/http-gateways/trustless-gateway/). */
export interface CarParameters {
  scope: DagScope
  /** Only the blocks that these bytes of a file need. */
  bytes: EntityBytes | undefined
  /** Whether a block comes as often as it is linked, and not once. */
  repeats: boolean
}

/** What of a DAG a CAR is to have. */
export interface PartialDag extends CarParameters {
  /** Where the path ends: the CAR's root. */
  end: CID
  /** The blocks that the path came through. */
  onTheWay: CID[]
}

/** The blocks of a path and of what it leads to, as a CARv1 whose root is where the path ends. */
export async function* partialCar(store: BlockSource, wanted: PartialDag): AsyncGenerator<Uint8Array> {
  const source = rememberLast(store)
  yield encodeCarHeader(wanted.end)
  const sent = walkedSet(wanted.repeats)
  try {
    for await (const cid of blocksOf(source, wanted)) {
      const key = cidKey(cid)
      // A block that is its own CID needs no copy (go-car, `StoreIdentityCIDs`).
      if (sent.has(key) || isIdentity(cid)) continue
      sent.add(key)
      yield encodeCarSection(cid, await source.get(cid))
    }
  } catch (error) {
    // As in boxo a CAR ends where a block is missing or cannot be read: clients check that it is whole.
    if (!(error instanceof FileNetworkError)) throw error
  }
}

/** A source that has the block at hand that was read last: who finds a block and who sends it ask for it in turns. */
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
  const { end, onTheWay, scope } = wanted
  yield* onTheWay.filter((cid) => !cid.equals(end))
  await linksOf(end, await source.get(end))
  if (scope === 'block') yield end
  else if (scope === 'entity') yield* entityBlocks(source, wanted)
  else yield* dagBlocks(source, wanted)
}

/** All of a file, or what some bytes of it need, but of a directory only what its listing needs. */
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
  for await (const { cid } of walkDag(source, end, walkedSet(repeats))) yield cid
}

function walkedSet(repeats: boolean): VisitedSet {
  return repeats ? forgetful : new Set()
}

function rangeOf({ size }: UnixfsEntry, { from, to }: EntityBytes): ByteRange {
  const place = (position: number): number => Math.max(0, position < 0 ? size + position : position)
  return { start: place(from), end: to === undefined ? size : Math.min(size, place(to) + 1) }
}
