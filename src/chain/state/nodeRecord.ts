import { keccak256 } from '../crypto.js'
import { itemEnd, payloadStart } from '../rlp.js'

/** Root of the empty trie: keccak-256 of the RLP of the empty string. */
export const EMPTY_TRIE_ROOT: Uint8Array = keccak256(Uint8Array.of(0x80))

/** Length of a link in bytes: the number of a child, little-endian. */
const LINK_LENGTH = 6
/** First byte of an RLP item of 32 bytes; no embedded node begins with it. */
export const HASH_HEAD = 0xa0
/** Encoded length in bytes of a hash within an RLP list. */
export const HASH_ITEM_LENGTH = 33

/** The number of a stored node: below 2^48, and greater than that of every node stored earlier. */
export type NodeNumber = number

/** A child: its number, or the record in memory until it is stored. */
export type NodeLink = NodeRecord | NodeNumber

/**
 * A trie node with a hash of its own, in stored form: its RLP, followed by one 6-byte link for each child that the RLP
 * references by hash, in order. Readers find children without a look-up by hash.
 */
export class NodeRecord {
  #bytes: Uint8Array
  /** Length of the RLP in bytes. */
  readonly rlpLength: number
  #rlp: Uint8Array | undefined
  /** Whether another node replaced it before it was stored. */
  isReplaced = false
  #number: NodeNumber | undefined
  /** The number that the current batch stores it under. */
  #assigned: NodeNumber = 0
  /** Unstored children, by the index of their links. */
  #unstored: (NodeRecord | undefined)[] | undefined

  /**
   * @param bytes - RLP and links; {@link link} fills in the links of a new node
   */
  constructor(bytes: Uint8Array, rlpLength: number, number?: NodeNumber) {
    this.#bytes = bytes
    this.rlpLength = rlpLength
    this.#rlp = rlpLength === bytes.length ? bytes : undefined
    this.#number = number
  }

  /** RLP and links; read-only. */
  get bytes(): Uint8Array {
    return this.#bytes
  }

  /** A view of the RLP; read-only. */
  get rlp(): Uint8Array {
    return (this.#rlp ??= this.bytes.subarray(0, this.rlpLength))
  }

  /** Whether the parent references it by hash instead of embedding it. */
  get hasHash(): boolean {
    return this.rlpLength >= 32
  }

  /** Length of the item that represents the node in its parent (Yellow Paper, appendix D). */
  get itemLength(): number {
    return this.hasHash ? HASH_ITEM_LENGTH : this.rlpLength
  }

  /** Writes the item that represents the node in its parent. */
  writeItem(into: Uint8Array, position: number): void {
    if (this.hasHash) {
      into[position] = HASH_HEAD
      into.set(keccak256(this.rlp), position + 1)
    } else into.set(this.rlp, position)
  }

  /** Length of RLP and links in bytes. */
  get length(): number {
    return this.bytes.length
  }

  /** Number of children referenced by hash. */
  get linkCount(): number {
    return (this.bytes.length - this.rlpLength) / LINK_LENGTH
  }

  /** Undefined until the node is stored. */
  get number(): NodeNumber | undefined {
    return this.#number
  }

  /** Returns the link to the child at an index among those referenced by hash. */
  linkAt(index: number): NodeLink {
    const unstored = this.#unstored?.[index]
    if (unstored !== undefined) return unstored
    const { bytes } = this
    const at = this.rlpLength + LINK_LENGTH * index
    const low = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16)
    const high = (bytes[at + 3] ?? 0) | ((bytes[at + 4] ?? 0) << 8) | ((bytes[at + 5] ?? 0) << 16)
    return high * 0x1000000 + low
  }

  /** Sets a link of an unstored node. */
  link(index: number, to: NodeLink): void {
    const number = typeof to === 'number' ? to : to.number
    if (number !== undefined) this.#write(index, number)
    const unstored = number === undefined ? (to as NodeRecord) : undefined
    if (unstored === undefined && this.#unstored === undefined) return
    this.#unstored ??= []
    this.#unstored[index] = unstored
  }

  /** Returns an unstored copy, for replacing items of the same length. */
  copy(): NodeRecord {
    const bytes = nodeMemory(this.#bytes.length)
    bytes.set(this.#bytes)
    const twin = new NodeRecord(bytes, this.rlpLength)
    twin.#unstored = this.#unstored?.slice()
    return twin
  }

  /** Moves the node out of shared memory. */
  own(): void {
    if (this.#bytes.buffer.byteLength === this.#bytes.length) return
    this.#bytes = this.#bytes.slice()
    this.#rlp = this.rlpLength === this.#bytes.length ? this.#bytes : undefined
  }

  /** Sets the number that a batch stores the node under. Its unstored children must have theirs already. */
  assign(number: NodeNumber): void {
    this.#assigned = number
    this.#unstored?.forEach((child, index) => {
      if (child !== undefined) this.#write(index, child.#number ?? child.#assigned)
    })
  }

  /** The number under which a batch stores or has stored the node. */
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

/** Returns the length of the links of a node with this many children referenced by hash. */
export function linksLength(children: number): number {
  return LINK_LENGTH * children
}

/** Creates a node from its row. @param bytes - RLP and links, not copied */
export function storedNode(bytes: Uint8Array, number: NodeNumber): NodeRecord {
  return new NodeRecord(bytes, itemEnd(bytes, 0), number)
}

/** Returns the offset of an item of a branch, and the number of hashes before it. */
export function childAt(rlp: Uint8Array, index: number): { start: number; link: number } {
  let start = payloadStart(rlp, 0)
  let link = 0
  for (let i = 0; i < index; i++) {
    const head = rlp[start] ?? 0
    if (head === HASH_HEAD) {
      link++
      start += HASH_ITEM_LENGTH
    } else start = head === 0x80 ? start + 1 : itemEnd(rlp, start)
  }
  return { start, link }
}

/** Nibbles, one per element: the digits that a trie branches on. */
export type Nibbles = Uint8Array

/** Flag of a leaf in the first byte of a hex-prefix path; unset for an extension. */
export const LEAF_FLAG = 0x20

/** Returns the nibbles of a key, starting at an index. */
export function nibblesOf(key: Uint8Array, from: number): Nibbles {
  const nibbles = new Uint8Array(key.length * 2 - from)
  for (let i = 0; i < nibbles.length; i++) nibbles[i] = nibbleAt(key, from + i)
  return nibbles
}

/** Returns the nibble of a key at an index. */
export function nibbleAt(key: Uint8Array, index: number): number {
  const byte = key[index >>> 1] ?? 0
  return (index & 1) === 0 ? byte >>> 4 : byte & 0x0f
}

/** Returns the number of leading nibbles that a path shares with a key from `depth` on. */
export function commonWithKey(path: Nibbles, key: Uint8Array, depth: number): number {
  const limit = Math.min(path.length, key.length * 2 - depth)
  let count = 0
  while (count < limit && path[count] === nibbleAt(key, depth + count)) count++
  return count
}

/** Whether a path equals the rest of a key from nibble `depth` on. */
export function endsWith(key: Uint8Array, depth: number, path: Nibbles): boolean {
  return key.length * 2 - depth === path.length && commonWithKey(path, key, depth) === path.length
}

/**
 * Whether the rest of a key from nibble `depth` on is the path of a leaf.
 *
 * @param bytes - contains the hex-prefix path, from `start` up to but not including `end`
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

/** Concatenates two paths. */
export function joinPaths(first: Nibbles, second: Nibbles): Nibbles {
  const joined = new Uint8Array(first.length + second.length)
  joined.set(first)
  joined.set(second, first.length)
  return joined
}

/** Encodes a path in hex-prefix form (Yellow Paper, appendix C). */
export function encodePath(path: Nibbles, { leaf }: { leaf: boolean }): Uint8Array {
  const odd = path.length & 1
  const bytes = new Uint8Array((path.length >>> 1) + 1)
  bytes[0] = (leaf ? LEAF_FLAG : 0) + (odd === 1 ? 0x10 + (path[0] ?? 0) : 0)
  for (let i = odd, position = 1; i < path.length; i += 2) {
    bytes[position++] = ((path[i] ?? 0) << 4) | (path[i + 1] ?? 0)
  }
  return bytes
}

/** Encodes the rest of a key from nibble `depth` on as the hex-prefix path of a leaf. */
export function leafPath(key: Uint8Array, depth: number): Uint8Array {
  const odd = depth & 1
  const start = (depth + odd) >>> 1
  const bytes = new Uint8Array(1 + key.length - start)
  bytes[0] = LEAF_FLAG + (odd === 1 ? 0x10 + nibbleAt(key, depth) : 0)
  for (let i = 1; i < bytes.length; i++) bytes[i] = key[start + i - 1] ?? 0
  return bytes
}

/** Whether a hex-prefix path belongs to a leaf. */
export function isLeafPath(encoded: Uint8Array): boolean {
  return ((encoded[0] ?? 0) & LEAF_FLAG) !== 0
}

/** Decodes a hex-prefix path to nibbles. */
export function decodePath(encoded: Uint8Array): Nibbles {
  return nibblesOf(encoded, ((encoded[0] ?? 0) & 0x10) !== 0 ? 1 : 2)
}

/** Size of a shared buffer: enough for the nodes of a block with one or two transactions. */
const SHARED_BYTES = 16 * 1024
/** Longer nodes get their own memory. */
const MAX_SHARED_LENGTH = 2048

let shared = new ArrayBuffer(SHARED_BYTES)
let used = 0

/**
 * Allocates zeroed memory for a new node, shared with nodes made around the same time.
 *
 * An array with its own memory takes as long to allocate as a node takes to hash, and most nodes live only until the
 * next block. Those that stay leave the shared memory (NodeRecord.own), so that none keeps the others alive.
 */
export function nodeMemory(length: number): Uint8Array {
  if (length > MAX_SHARED_LENGTH) return new Uint8Array(length)
  if (used + length > SHARED_BYTES) {
    shared = new ArrayBuffer(SHARED_BYTES)
    used = 0
  }
  const bytes = new Uint8Array(shared, used, length)
  used += length
  return bytes
}

/** A set of node numbers as a bitmap: numbers are dense, and a chain has millions of nodes. */
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
