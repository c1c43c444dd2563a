import { murmur3128 } from '@multiformats/murmur3'
import type { CID } from 'multiformats/cid'
import { bytesOfText } from '../../encoding/byteText.js'
import { sortInSteps } from '../../encoding/sorting.js'
import { type Steps, TimeSlice, nextTurn, runInSlices } from '../../encoding/timeSlice.js'
import type { BlockWriter } from './blockWriter.js'
import { type UnixfsMetadata, unixfsType } from './data.js'
import { type BlockSource, type UnixfsEntry, loadEntry } from './entry.js'
import type { LinkList } from './linkTable.js'
import { type StoredNode, type UnixfsLink, writeNode } from './node.js'

/** Multicodec of murmur3-x64-64, the hash that shards name. */
const HASH_TYPE = 0x22
const HASH_BITS = 64n
/** Entries of a directory that are put into slots in one step. */
const PLACES_AT_ONCE = 4096

/** Returns the 64-bit hash that gives a name its slot at each depth: the first half of murmur3-x64-128. */
export async function hashName(name: string): Promise<bigint> {
  const hash = await murmur3128.encode(bytesOfText(name))
  return Buffer.from(hash.buffer, hash.byteOffset, 8).readBigUInt64BE(0)
}

/** Sorts names in the order in which a sharded directory holds them. */
export async function sortByHash(names: readonly string[]): Promise<string[]> {
  const hashed: { name: string; hash: bigint }[] = []
  const slice = new TimeSlice()
  for (const name of names) {
    hashed.push({ name, hash: await hashName(name) })
    await slice.pause()
  }
  const sorted = await runInSlices(
    sortInSteps(hashed, (a, b) => (a.hash < b.hash ? -1 : 1)),
    slice,
  )
  return sorted.map(({ name }) => name)
}

/** Returns the bits of a hash consumed at each depth. */
export function bitsOfFanout(fanout: number): number {
  return Math.log2(fanout)
}

/** Returns the slot of a hash at a depth (0 is the root), or -1 when no bits are left. */
export function slotOf(hash: bigint, depth: number, bits: number): number {
  const shift = HASH_BITS - BigInt(bits * (depth + 1))
  return shift < 0n ? -1 : Number((hash >> shift) & BigInt(2 ** bits - 1))
}

/** Returns the label of a slot, which prefixes names in a shard's links. */
export function slotLabel(slot: number, fanout: number): string {
  const width = (fanout - 1).toString(16).length
  return slot.toString(16).toUpperCase().padStart(width, '0')
}

/**
 * Stores a directory as a HAMT (https://specs.ipfs.tech/unixfs/, HAMT sharded directories). Yields between names and
 * between shards: a directory may have a million entries.
 */
export async function writeHamt(options: {
  links: LinkList
  fanout: number
  writer: BlockWriter
  metadata: UnixfsMetadata
}): Promise<StoredNode> {
  const { links, fanout, writer, metadata } = options
  const bits = bitsOfFanout(fanout)
  const hashes = new BigUint64Array(links.length)
  const slice = new TimeSlice()
  let hashed = 0
  for (const { name } of links) {
    hashes[hashed++] = await hashName(name)
    const pause = slice.pause()
    if (pause !== undefined) await pause
  }
  return writeShard(Uint32Array.from(hashes.keys()), 0, metadata)

  /** Stores the links at the given indexes as a shard. */
  async function writeShard(places: Uint32Array, depth: number, own: UnixfsMetadata): Promise<StoredNode> {
    await nextTurn()
    const shardLinks: UnixfsLink[] = []
    for (const [slot, inSlot] of await runInSlices(placesBySlot(places, depth), slice)) {
      const label = slotLabel(slot, fanout)
      const only = inSlot.length === 1 ? links.at(inSlot[0] as number) : undefined
      if (only) shardLinks.push({ name: label + only.name, cid: only.cid, size: only.size })
      else shardLinks.push({ ...(await writeShard(inSlot, depth + 1, {})), name: label })
    }
    return writeShardNode({ links: shardLinks, fanout, writer, metadata: own })
  }

  /** Groups indexes by slot, in slot order, without empty slots. */
  function* placesBySlot(places: Uint32Array, depth: number): Steps<[slot: number, places: Uint32Array][]> {
    const slots = new Uint32Array(places.length)
    const ends = new Uint32Array(fanout)
    for (const [index, place] of places.entries()) {
      const slot = slotOf(hashes[place] as bigint, depth, bits)
      if (slot < 0) throw new Error('sharded directory too deep')
      slots[index] = slot
      ends[slot]!++
      if (index % PLACES_AT_ONCE === PLACES_AT_ONCE - 1) yield
    }
    for (let slot = 1; slot < fanout; slot++) ends[slot]! += ends[slot - 1]!
    const sorted = new Uint32Array(places.length)
    const starts = ends.slice()
    for (let index = places.length - 1; index >= 0; index--) {
      sorted[--starts[slots[index]!]!] = places[index]!
      if (index % PLACES_AT_ONCE === 0) yield
    }
    const groups: [slot: number, places: Uint32Array][] = []
    for (let slot = 0; slot < fanout; slot++) {
      if (starts[slot] !== ends[slot]) groups.push([slot, sorted.subarray(starts[slot], ends[slot])])
    }
    return groups
  }
}

/** Stores a shard. Its links must already carry their slot labels. */
function writeShardNode(options: {
  links: UnixfsLink[]
  fanout: number
  writer: BlockWriter
  metadata: UnixfsMetadata
}): Promise<StoredNode> {
  const { links, fanout, writer, metadata } = options
  const width = slotLabel(0, fanout).length
  const slots = links.map(({ name }) => Number.parseInt(name.slice(0, width), 16))
  const data = encodeBitfield(slots, fanout)
  return writeNode(
    writer,
    { ...metadata, type: unixfsType.hamtShard, data, blockSizes: [], hashType: HASH_TYPE, fanout },
    links,
  )
}

/** Encodes the used slots as a big-endian bit field without leading zero bytes. */
function encodeBitfield(slots: Iterable<number>, fanout: number): Uint8Array {
  const bytes = new Uint8Array(fanout / 8)
  for (const slot of slots) {
    const index = bytes.length - 1 - (slot >> 3)
    bytes[index] = (bytes[index] ?? 0) | (1 << (slot & 7))
  }
  const start = bytes.findIndex((byte) => byte !== 0)
  return start < 0 ? new Uint8Array() : bytes.subarray(start)
}

/**
 * Edits a HAMT directory, rewriting only the shards on the path to each change. The result is the same as storing all
 * entries from scratch: a shard left with one entry passes it to its parent.
 */
export async function editHamt(options: {
  source: BlockSource
  root: UnixfsEntry
  /** The links to set, by name, in order; undefined removes the entry. */
  changes: Iterable<[name: string, link: UnixfsLink | undefined]>
  /** Writes the root and new shards. */
  writer: BlockWriter
  /** Returns the writer of a shard that replaces another: each keeps its CID format. */
  writerOf: (cid: CID) => Promise<BlockWriter>
  metadata: UnixfsMetadata
}): Promise<StoredNode> {
  const { source, root, changes, writer, writerOf, metadata } = options
  const fanout = root.node?.unixfs.fanout ?? 256
  const bits = bitsOfFanout(fanout)
  const width = slotLabel(0, fanout).length
  let links = root.node?.links ?? []
  for (const [name, link] of changes)
    links = await change(links, 0, { name, link, hash: await hashName(name), writer })
  return writeShardNode({ links, fanout, writer, metadata })

  /** Returns the links of a shard after a change. */
  async function change(before: UnixfsLink[], depth: number, edit: HamtEdit): Promise<UnixfsLink[]> {
    const { name, link } = edit
    const label = labelAt(edit.hash, depth)
    const found = before.find((candidate) => candidate.name.startsWith(label))
    const others = before.filter((candidate) => candidate !== found)
    const changed = link && { ...link, name: label + name }
    if (found === undefined || found.name === label + name) return changed ? [...others, changed] : others
    if (found.name.length === width) {
      const below = { ...edit, writer: await writerOf(found.cid) }
      // An earlier change may have written it.
      await below.writer.stored()
      const shard = await loadEntry(source, found.cid)
      const changedLinks = await change(shard.node?.links ?? [], depth + 1, below)
      return [...others, ...(await placeBelow(label, changedLinks, below.writer))]
    }
    if (changed === undefined) return before
    const neighbour = found.name.slice(width)
    const alone = { ...found, name: labelAt(await hashName(neighbour), depth + 1) + neighbour }
    return [...others, ...(await placeBelow(label, await change([alone], depth + 1, edit), edit.writer))]
  }

  /** Returns the links of a slot whose child shard holds these links. */
  async function placeBelow(
    label: string,
    links: UnixfsLink[],
    shardWriter: BlockWriter,
  ): Promise<UnixfsLink[]> {
    const [first] = links
    if (first === undefined) return []
    if (links.length === 1 && first.name.length > width) {
      return [{ ...first, name: label + first.name.slice(width) }]
    }
    const node = await writeShardNode({ links, fanout, writer: shardWriter, metadata: {} })
    return [{ ...node, name: label }]
  }

  function labelAt(hash: bigint, depth: number): string {
    const slot = slotOf(hash, depth, bits)
    if (slot < 0) throw new Error('sharded directory too deep')
    return slotLabel(slot, fanout)
  }
}

/** Change of one entry. */
interface HamtEdit {
  name: string
  /** The new link; undefined removes the entry. */
  link: UnixfsLink | undefined
  /** Hash of the name. */
  hash: bigint
  /** Writes the changed shard. */
  writer: BlockWriter
}
