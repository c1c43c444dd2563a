import { keccak256 } from '../crypto.js'
import { itemEnd, payloadStart } from '../rlp.js'

/** The root of a trie without entries: keccak-256 of the RLP of no bytes. */
export const EMPTY_TRIE_ROOT: Uint8Array = keccak256(Uint8Array.of(0x80))

/** A link: the number of a child, little-endian. */
const LINK_LENGTH = 6
/** The head of an RLP item of 32 bytes; no node inside its parent begins like this. */
export const HASH_HEAD = 0xa0
const HASH_ITEM_LENGTH = 33

/** The number of a stored node: less than 2^48, and greater than those of all nodes that were stored before. */
export type NodeNumber = number

/** A child: by its number, or in memory as long as it is not stored. */
export type NodeLink = NodeRecord | NodeNumber

/**
 * A trie node with a hash of its own, as it is stored: its RLP, and behind it one link of 6 bytes for each child that the
 * RLP names by a hash, in their order. A reader of a node finds its children without a look-up by hash.
 */
export class NodeRecord {
  #bytes: Uint8Array
  /** How many of the bytes are RLP. */
  readonly rlpLength: number
  #rlp: Uint8Array | undefined
  /** Whether another node has taken its place before it was stored. */
  isReplaced = false
  #number: NodeNumber | undefined
  /** What the batch that is under way stores it under. */
  #assigned: NodeNumber = 0
  /** Children that are not stored yet, at the index of their links. */
  #unstored: (NodeRecord | undefined)[] | undefined

  /** @param bytes - RLP and links; the links of a new node are put by {@link link} */
  constructor(bytes: Uint8Array, rlpLength: number, number?: NodeNumber) {
    this.#bytes = bytes
    this.rlpLength = rlpLength
    this.#rlp = rlpLength === bytes.length ? bytes : undefined
    this.#number = number
  }

  /** RLP and links. Readers leave them unchanged. */
  get bytes(): Uint8Array {
    return this.#bytes
  }

  /** A view on the bytes. Readers leave it unchanged. */
  get rlp(): Uint8Array {
    return (this.#rlp ??= this.bytes.subarray(0, this.rlpLength))
  }

  /** Whether its parent names it by its hash, and does not have it within itself. */
  get hasHash(): boolean {
    return this.rlpLength >= 32
  }

  /** How long the item is that stands for the node in its parent (Yellow Paper, appendix D). */
  get itemLength(): number {
    return this.hasHash ? HASH_ITEM_LENGTH : this.rlpLength
  }

  /** Writes that item. */
  writeItem(into: Uint8Array, position: number): void {
    if (this.hasHash) {
      into[position] = HASH_HEAD
      into.set(keccak256(this.rlp), position + 1)
    } else into.set(this.rlp, position)
  }

  /** In bytes. */
  get length(): number {
    return this.bytes.length
  }

  /** How many children it names by their hashes. */
  get linkCount(): number {
    return (this.bytes.length - this.rlpLength) / LINK_LENGTH
  }

  /** Undefined while the node is not stored. */
  get number(): NodeNumber | undefined {
    return this.#number
  }

  /** Where the child with an index among those that are named by hashes is. */
  linkAt(index: number): NodeLink {
    const unstored = this.#unstored?.[index]
    if (unstored !== undefined) return unstored
    const { bytes } = this
    const at = this.rlpLength + LINK_LENGTH * index
    const low = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16)
    const high = (bytes[at + 3] ?? 0) | ((bytes[at + 4] ?? 0) << 8) | ((bytes[at + 5] ?? 0) << 16)
    return high * 0x1000000 + low
  }

  /** Sets a link of a node that is not stored yet. */
  link(index: number, to: NodeLink): void {
    const number = typeof to === 'number' ? to : to.number
    if (number !== undefined) this.#write(index, number)
    const unstored = number === undefined ? (to as NodeRecord) : undefined
    if (unstored === undefined && this.#unstored === undefined) return
    this.#unstored ??= []
    this.#unstored[index] = unstored
  }

  /** The same node, not stored, for changes of items that keep their length. */
  copy(): NodeRecord {
    const bytes = nodeMemory(this.#bytes.length)
    bytes.set(this.#bytes)
    const twin = new NodeRecord(bytes, this.rlpLength)
    twin.#unstored = this.#unstored?.slice()
    return twin
  }

  /** Moves the node out of memory that it shares with others. */
  own(): void {
    if (this.#bytes.buffer.byteLength === this.#bytes.length) return
    this.#bytes = this.#bytes.slice()
    this.#rlp = this.rlpLength === this.#bytes.length ? this.#bytes : undefined
  }

  /** Sets the number that a batch stores the node under; its children that are not stored were given theirs before. */
  assign(number: NodeNumber): void {
    this.#assigned = number
    this.#unstored?.forEach((child, index) => {
      if (child !== undefined) this.#write(index, child.#number ?? child.#assigned)
    })
  }

  /** The number that a batch stores the node under, or has stored it. */
  get assignedNumber(): NodeNumber {
    return this.#number ?? this.#assigned
  }

  /** Confirms that the batch with the node and its children was written. */
  settle(): NodeNumber {
    this.#number = this.#assigned
    this.#unstored = undefined
    return this.#assigned
  }

  #write(index: number, number: NodeNumber): void {
    const { bytes } = this
    const at = this.rlpLength + LINK_LENGTH * index
    const high = Math.floor(number / 0x1000000)
    bytes[at] = number
    bytes[at + 1] = number >>> 8
    bytes[at + 2] = number >>> 16
    bytes[at + 3] = high
    bytes[at + 4] = high >>> 8
    bytes[at + 5] = high >>> 16
  }
}

/** Bytes of the links behind the RLP of a node with so many children that are named by hashes. */
export function linksLength(children: number): number {
  return LINK_LENGTH * children
}

/** A node from its row. @param bytes - RLP and links, which stay as they are */
export function storedNode(bytes: Uint8Array, number: NodeNumber): NodeRecord {
  return new NodeRecord(bytes, itemEnd(bytes, 0), number)
}

/** Where an item of a branch begins, and how many items before it are hashes. */
export function childAt(rlp: Uint8Array, index: number): { start: number; link: number } {
  let start = payloadStart(rlp, 0)
  let link = 0
  for (let i = 0; i < index; i++) {
    const head = rlp[start] ?? 0
    if (head === HASH_HEAD) {
      link++
      start += 33
    } else start = head === 0x80 ? start + 1 : itemEnd(rlp, start)
  }
  return { start, link }
}

/** Half bytes, one per element: the digits that a trie branches on. */
export type Nibbles = Uint8Array

/** What the first byte of a leaf's path has in the compact form, and that of an extension has not. */
export const LEAF_FLAG = 0x20

/** The half bytes of a key from the `from`th on. */
export function nibblesOf(key: Uint8Array, from: number): Nibbles {
  const nibbles = new Uint8Array(key.length * 2 - from)
  for (let i = 0; i < nibbles.length; i++) nibbles[i] = nibbleAt(key, from + i)
  return nibbles
}

/** The half byte of a key at an index. */
export function nibbleAt(key: Uint8Array, index: number): number {
  const byte = key[index >>> 1] ?? 0
  return (index & 1) === 0 ? byte >>> 4 : byte & 0x0f
}

/** How many half bytes of a path a key has from the `depth`th of its own on. */
export function commonWithKey(path: Nibbles, key: Uint8Array, depth: number): number {
  const limit = Math.min(path.length, key.length * 2 - depth)
  let count = 0
  while (count < limit && path[count] === nibbleAt(key, depth + count)) count++
  return count
}

/** Whether the rest of a key from the `depth`th half byte on is a path. */
export function endsWith(key: Uint8Array, depth: number, path: Nibbles): boolean {
  return key.length * 2 - depth === path.length && commonWithKey(path, key, depth) === path.length
}

/**
 * Whether the rest of a key from the `depth`th half byte on is the path of a leaf.
 *
 * @param bytes - with the path in the compact form from `start` up to but not including `end`
 */
export function endsAtLeaf(
  key: Uint8Array,
  depth: number,
  bytes: Uint8Array,
  { start, end }: { start: number; end: number },
): boolean {
  const odd = depth & 1
  const head = LEAF_FLAG + (odd === 1 ? 0x10 + nibbleAt(key, depth) : 0)
  const from = (depth + odd) >>> 1
  if (bytes[start] !== head || end - start - 1 !== key.length - from) return false
  for (let i = start + 1, at = from; i < end; i++, at++) if (bytes[i] !== key[at]) return false
  return true
}

/** Two paths, one behind the other. */
export function joinPaths(first: Nibbles, second: Nibbles): Nibbles {
  const joined = new Uint8Array(first.length + second.length)
  joined.set(first)
  joined.set(second, first.length)
  return joined
}

/** A path in the compact form of nodes: hex prefix encoding (Yellow Paper, appendix C). */
export function encodePath(path: Nibbles, { leaf }: { leaf: boolean }): Uint8Array {
  const odd = path.length & 1
  const bytes = new Uint8Array((path.length >>> 1) + 1)
  bytes[0] = (leaf ? 0x20 : 0) + (odd === 1 ? 0x10 + (path[0] ?? 0) : 0)
  for (let i = odd, position = 1; i < path.length; i += 2) {
    bytes[position++] = ((path[i] ?? 0) << 4) | (path[i + 1] ?? 0)
  }
  return bytes
}

/** The rest of a key of whole bytes from the `depth`th half byte on, as the path of a leaf in the compact form. */
export function leafPath(key: Uint8Array, depth: number): Uint8Array {
  const odd = depth & 1
  const start = (depth + odd) >>> 1
  const bytes = new Uint8Array(1 + key.length - start)
  bytes[0] = LEAF_FLAG + (odd === 1 ? 0x10 + nibbleAt(key, depth) : 0)
  for (let i = 1; i < bytes.length; i++) bytes[i] = key[start + i - 1] ?? 0
  return bytes
}

/** Whether a path in the compact form belongs to a leaf. */
export function isLeafPath(encoded: Uint8Array): boolean {
  return ((encoded[0] ?? 0) & LEAF_FLAG) !== 0
}

/** The half bytes of a path in the compact form. */
export function decodePath(encoded: Uint8Array): Nibbles {
  return nibblesOf(encoded, ((encoded[0] ?? 0) & 0x10) !== 0 ? 1 : 2)
}

/** The nodes of a block with a transaction or two fit into so many bytes. */
const SHARED_BYTES = 16 * 1024
/** What is longer has memory of its own. */
const LONGEST = 2048

let shared = new ArrayBuffer(SHARED_BYTES)
let used = 0

/**
 * Zeros for a node that is made, in memory that it shares with those that are made around it.
 *
 * An array with memory of its own takes as long to make as a node takes to hash, and most nodes live until the next block.
 * Those that stay leave the shared memory (NodeRecord.own), so that one of them does not hold the others'.
 */
export function nodeMemory(length: number): Uint8Array {
  if (length > LONGEST) return new Uint8Array(length)
  if (used + length > SHARED_BYTES) {
    shared = new ArrayBuffer(SHARED_BYTES)
    used = 0
  }
  const bytes = new Uint8Array(shared, used, length)
  used += length
  return bytes
}

/** Nodes by their numbers, a bit each: numbers are dense, and a chain has millions of nodes. */
export class NodeSet {
  #bits = new Uint8Array(64 * 1024)

  has(number: NodeNumber): boolean {
    return ((this.#bits[Math.floor(number / 8)] ?? 0) & (1 << (number % 8))) !== 0
  }

  add(number: NodeNumber): void {
    const index = Math.floor(number / 8)
    if (index >= this.#bits.length) {
      const grown = new Uint8Array(Math.max(2 * this.#bits.length, index + 1))
      grown.set(this.#bits)
      this.#bits = grown
    }
    this.#bits[index]! |= 1 << (number % 8)
  }
}
