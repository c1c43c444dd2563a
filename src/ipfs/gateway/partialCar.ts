import type { CID } from 'multiformats/cid'
import { codecCode } from '../cid/makeCid.js'
import { encodeCarHeader, encodeCarSection } from '../dag/car.js'
import { walkDag } from '../dag/walk.js'
import { readEntry } from '../unixfs/entry.js'
import type { BlockSource } from '../unixfs/entry.js'
import { isShardedEntry, shardBlocks } from '../unixfs/readDirectory.js'
import type { DagScope } from './format.js'

/** The blocks of a path and of what it leads to, as a CARv1 whose root is where the path ends. */
export async function* partialCar(
  source: BlockSource,
  options: { end: CID; onTheWay: CID[]; scope: DagScope },
): AsyncGenerator<Uint8Array> {
  const { end, onTheWay, scope } = options
  yield encodeCarHeader(end)
  const seen = new Set<string>()
  for (const cid of onTheWay) {
    if (seen.has(cid.toString()) || cid.equals(end)) continue
    seen.add(cid.toString())
    yield encodeCarSection(cid, await source.get(cid))
  }
  if (scope === 'all') {
    for await (const { cid, bytes } of walkDag(source, end, seen)) yield encodeCarSection(cid, bytes)
    return
  }
  if (scope === 'block') {
    yield encodeCarSection(end, await source.get(end))
    return
  }
  yield* entityBlocks(source, end, seen)
}

/** All of a file, but of a directory only what its listing needs. */
async function* entityBlocks(source: BlockSource, end: CID, seen: Set<string>): AsyncGenerator<Uint8Array> {
  const block = await source.get(end)
  const entry = end.code === codecCode.dagPb ? readEntry(end, block) : undefined
  if (entry?.type === 'file') {
    for await (const { cid, bytes } of walkDag(source, end, seen)) yield encodeCarSection(cid, bytes)
    return
  }
  yield encodeCarSection(end, block)
  if (entry === undefined || !isShardedEntry(entry)) return
  for await (const cid of shardBlocks(source, entry)) {
    if (!seen.has(cid.toString())) yield encodeCarSection(cid, await source.get(cid))
    seen.add(cid.toString())
  }
}
