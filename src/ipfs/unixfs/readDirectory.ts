import type { CID } from 'multiformats/cid'
import { cidKey } from '../cid/cidKey.js'
import { LinkNotFoundError } from '../errors.js'
import { unixfsType } from './data.js'
import { loadEntry } from './entry.js'
import type { BlockSource, UnixfsEntry } from './entry.js'
import { bitsOfFanout, hashName, slotLabel, slotOf } from './hamt.js'
import type { UnixfsLink, UnixfsNode } from './node.js'

/** Whether a directory is stored as a HAMT. */
export function isShardedEntry(entry: UnixfsEntry): boolean {
  return entry.node?.unixfs.type === unixfsType.hamtShard
}

/**
 * The entries of a directory, one after the other: by name, or by slot where it is sharded.
 *
 * @param walked - the keys of shards that are not listed again; no directory repeats any, but a block can be made so
 * (boxo, `ipld/unixfs/hamt/hamt.go`)
 */
export async function* listDirectory(
  source: BlockSource,
  entry: UnixfsEntry,
  walked = new Set<string>(),
): AsyncGenerator<UnixfsLink> {
  const node = entry.node
  if (node === undefined) return
  if (!isShardedEntry(entry)) {
    yield* node.links
    return
  }
  const width = labelWidth(node)
  for (const link of node.links) {
    if (link.name.length > width) {
      yield { ...link, name: link.name.slice(width) }
      continue
    }
    const key = cidKey(link.cid)
    if (walked.has(key)) continue
    walked.add(key)
    yield* listDirectory(source, await loadEntry(source, link.cid), walked)
  }
}

/**
 * The link with a name in a directory, also in a sharded one.
 *
 * @throws {@link LinkNotFoundError} when the directory has no such entry
 */
export async function findLink(source: BlockSource, entry: UnixfsEntry, name: string): Promise<UnixfsLink> {
  const found = isShardedEntry(entry)
    ? await findInShards(source, entry, name)
    : entry.node?.links.find((link) => link.name === name)
  if (found === undefined) throw new LinkNotFoundError(name, entry.cid)
  return found
}

async function findInShards(
  source: BlockSource,
  root: UnixfsEntry,
  name: string,
): Promise<UnixfsLink | undefined> {
  const hash = await hashName(name)
  let shard = root
  for (let depth = 0; ; depth++) {
    const node = shard.node
    if (node === undefined) return undefined
    const fanout = node.unixfs.fanout ?? 256
    const slot = slotOf(hash, depth, bitsOfFanout(fanout))
    if (slot < 0) return undefined
    const label = slotLabel(slot, fanout)
    const link = node.links.find((candidate) => candidate.name.startsWith(label))
    if (link === undefined) return undefined
    if (link.name === label + name) return { ...link, name }
    if (link.name !== label) return undefined
    shard = await loadEntry(source, link.cid)
  }
}

/**
 * The CIDs of all blocks of a sharded directory below its root, without its entries.
 *
 * @param walked - the keys of blocks that are not walked again; no directory repeats any, but a block can be made so
 */
export async function* shardBlocks(
  source: BlockSource,
  entry: UnixfsEntry,
  walked = new Set<string>(),
): AsyncGenerator<CID> {
  if (!isShardedEntry(entry) || entry.node === undefined) return
  const width = labelWidth(entry.node)
  for (const link of entry.node.links) {
    const key = cidKey(link.cid)
    if (link.name.length > width || walked.has(key)) continue
    walked.add(key)
    yield link.cid
    yield* shardBlocks(source, await loadEntry(source, link.cid), walked)
  }
}

function labelWidth(node: UnixfsNode): number {
  return ((node.unixfs.fanout ?? 256) - 1).toString(16).length
}
