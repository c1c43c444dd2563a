import type { BlockWriter } from './blockWriter.js'
import type { UnixfsMetadata } from './data.js'
import { loadEntry } from './entry.js'
import type { BlockSource, UnixfsEntry } from './entry.js'
import { bitsOfFanout, hashName, slotLabel, slotOf, writeShardNode } from './hamt.js'
import type { StoredNode, UnixfsLink } from './node.js'

/**
 * Changes entries of a directory that is stored as a HAMT: only the shards on the way to them are stored anew. The result
 * is the one that storing all entries gives: a shard that is left with one entry gives it to the shard above.
 */
export async function editHamt(options: {
  source: BlockSource
  root: UnixfsEntry
  /** The links to be set, by name; undefined for those to be removed. */
  changes: ReadonlyMap<string, UnixfsLink | undefined>
  writer: BlockWriter
  metadata: UnixfsMetadata
}): Promise<StoredNode> {
  const { source, root, changes, writer, metadata } = options
  const fanout = root.node?.unixfs.fanout ?? 256
  const bits = bitsOfFanout(fanout)
  const width = slotLabel(0, fanout).length
  let links = root.node?.links ?? []
  for (const [name, link] of changes)
    links = await change(links, 0, { name, link, hash: await hashName(name) })
  return writeShardNode({ links, fanout, writer, metadata })

  /** The links of a shard after a change. */
  async function change(before: UnixfsLink[], depth: number, edit: HamtEdit): Promise<UnixfsLink[]> {
    const { name, link } = edit
    const label = labelAt(edit.hash, depth)
    const found = before.find((candidate) => candidate.name.startsWith(label))
    const others = before.filter((candidate) => candidate !== found)
    const changed = link && { ...link, name: label + name }
    if (found === undefined || found.name === label + name) return changed ? [...others, changed] : others
    if (found.name.length === width) {
      const shard = await loadEntry(source, found.cid)
      return [...others, ...(await placeBelow(label, await change(shard.node?.links ?? [], depth + 1, edit)))]
    }
    if (changed === undefined) return before
    const neighbour = found.name.slice(width)
    const alone = { ...found, name: labelAt(await hashName(neighbour), depth + 1) + neighbour }
    return [...others, ...(await placeBelow(label, await change([alone], depth + 1, edit)))]
  }

  /** What a slot has for the links of the shard below it. */
  async function placeBelow(label: string, links: UnixfsLink[]): Promise<UnixfsLink[]> {
    const [first] = links
    if (first === undefined) return []
    if (links.length === 1 && first.name.length > width) {
      return [{ ...first, name: label + first.name.slice(width) }]
    }
    return [{ ...(await writeShardNode({ links, fanout, writer, metadata: {} })), name: label }]
  }

  function labelAt(hash: bigint, depth: number): string {
    const slot = slotOf(hash, depth, bits)
    if (slot < 0) throw new Error('sharded directory too deep')
    return slotLabel(slot, fanout)
  }
}

/** A change of one entry. */
interface HamtEdit {
  name: string
  /** What its name has then; undefined: nothing. */
  link: UnixfsLink | undefined
  /** The hash of the name. */
  hash: bigint
}
