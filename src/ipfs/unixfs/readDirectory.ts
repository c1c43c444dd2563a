import type { CID } from 'multiformats/cid'
import { LargeSet } from '../../encoding/largeMap.js'
import { TimeSlice } from '../../encoding/timeSlice.js'
import { type VisitedSet, cidKey } from '../cid/cidFormat.js'
import { LINKS_AT_ONCE } from '../dag/dagPb.js'
import { LinkNotFoundError, withoutName } from '../errors.js'
import { unixfsType } from './data.js'
import { type BlockSource, type UnixfsEntry, loadEntry } from './entry.js'
import { bitsOfFanout, hashName, slotLabel, slotOf } from './hamt.js'
import type { UnixfsLink, UnixfsNode } from './node.js'

/** Whether a directory is stored as a HAMT. */
export function isShardedEntry(entry: UnixfsEntry): boolean {
  return entry.node?.unixfs.type === unixfsType.hamtShard
}

/**
 * Yields the entries of a directory, or the links of a file: by name, or by slot if sharded. Lists no shard twice: no
 * real directory repeats one, but a crafted block can (boxo, `ipld/unixfs/hamt/hamt.go`).
 */
export async function* listDirectory(source: BlockSource, entry: UnixfsEntry): AsyncGenerator<UnixfsLink> {
  const { node } = entry
  if (node === undefined) return
  const slice = new TimeSlice()
  if (!isShardedEntry(entry)) {
    for (const link of node.links) {
      const pause = slice.pause()
      if (pause !== undefined) await pause
      yield link
    }
    return
  }
  const walked = new LargeSet()
  // The unlisted rest of each shard on the path. An explicit stack, so that no depth is too much.
  const levels = [openShard(node)]
  for (let level = levels.at(-1); level; level = levels.at(-1)) {
    const pause = slice.pause()
    if (pause !== undefined) await pause
    const link = level.links[level.next++]
    if (link === undefined) levels.pop()
    else if (link.name.length > level.width) yield { ...link, name: link.name.slice(level.width) }
    else if (isNew(walked, link)) {
      const shard = await loadEntry(source, link.cid)
      if (isShardedEntry(shard) && shard.node) levels.push(openShard(shard.node))
    }
  }
}

/** Lists a directory where boxo reads several shards at once, and so does not say which one is missing. */
export async function* listTogether(source: BlockSource, entry: UnixfsEntry): AsyncGenerator<UnixfsLink> {
  try {
    yield* listDirectory(source, entry)
  } catch (error) {
    throw withoutName(error)
  }
}

/** Progress of listing a shard. */
interface ShardLevel {
  links: UnixfsLink[]
  next: number
  /** Length of the label before each name; a link without a name leads to a child shard. */
  width: number
}

function openShard(node: UnixfsNode): ShardLevel {
  return { links: node.links, next: 0, width: labelWidth(node) }
}

function isNew(walked: VisitedSet, { cid }: UnixfsLink): boolean {
  const key = cidKey(cid)
  if (walked.has(key)) return false
  walked.add(key)
  return true
}

/**
 * Returns the named link of a directory, sharded or not.
 *
 * @throws {@link LinkNotFoundError} if the directory has no such entry
 */
export async function findLink(source: BlockSource, entry: UnixfsEntry, name: string): Promise<UnixfsLink> {
  const found = await lookUpLink(source, entry, name)
  if (found === undefined) throw new LinkNotFoundError(name, entry.cid)
  return found
}

/** Like {@link findLink}, but returns undefined if the directory has no such entry. */
export async function lookUpLink(
  source: BlockSource,
  entry: UnixfsEntry,
  name: string,
): Promise<UnixfsLink | undefined> {
  if (isShardedEntry(entry)) return findInShards(source, entry, name)
  return entry.node && searchLinks(entry.node, (link) => link.name === name)
}

/** Returns the first link that matches. Yields meanwhile: a node may have hundreds of thousands. */
async function searchLinks(
  { links }: UnixfsNode,
  matches: (link: UnixfsLink) => boolean,
): Promise<UnixfsLink | undefined> {
  const slice = new TimeSlice()
  for (let start = 0; start < links.length; start += LINKS_AT_ONCE) {
    const found = links.slice(start, start + LINKS_AT_ONCE).find(matches)
    if (found !== undefined) return found
    const pause = slice.pause()
    if (pause !== undefined) await pause
  }
  return undefined
}

async function findInShards(
  source: BlockSource,
  root: UnixfsEntry,
  name: string,
): Promise<UnixfsLink | undefined> {
  // The hash of a long name is a step of its own.
  await new TimeSlice().pause()
  const hash = await hashName(name)
  let shard = root
  for (let depth = 0; ; depth++) {
    const node = shard.node
    if (node === undefined) return undefined
    const fanout = node.unixfs.fanout ?? 256
    const slot = slotOf(hash, depth, bitsOfFanout(fanout))
    if (slot < 0) return undefined
    const label = slotLabel(slot, fanout)
    const link = await searchLinks(node, ({ name }) => name.startsWith(label))
    if (link === undefined) return undefined
    if (link.name === label + name) return { ...link, name }
    if (link.name !== label) return undefined
    shard = await loadEntry(source, link.cid)
  }
}

/**
 * Yields the CIDs of the shards of a directory below its root, without its entries.
 *
 * @param walked - blocks to skip: no real directory repeats a shard, but a crafted block can
 */
export async function* shardBlocks(
  source: BlockSource,
  entry: UnixfsEntry,
  walked: VisitedSet,
): AsyncGenerator<CID> {
  if (!isShardedEntry(entry) || entry.node === undefined) return
  const levels = [openShard(entry.node)]
  for (let level = levels.at(-1); level; level = levels.at(-1)) {
    const link = level.links[level.next++]
    if (link === undefined) levels.pop()
    else if (link.name.length <= level.width && isNew(walked, link)) {
      yield link.cid
      const shard = await loadEntry(source, link.cid)
      if (isShardedEntry(shard) && shard.node) levels.push(openShard(shard.node))
    }
  }
}

function labelWidth(node: UnixfsNode): number {
  return ((node.unixfs.fanout ?? 256) - 1).toString(16).length
}
