import { keccak256 } from '../keccak.js'
import { decodePath, encodePath, isLeafPath } from './nibbles.js'
import { encodeList, encodeString, itemsOf, listStart, payloadOf } from './rlp.js'
import type { Nibbles } from './nibbles.js'

/** What finds stored trie nodes. */
export interface NodeReader {
  /**
   * The RLP of the node with this 32-byte hash. Readers leave it unchanged.
   *
   * @throws MissingNodeError if it is not stored.
   */
  getNode(hash: Uint8Array): Uint8Array
}

/** A trie refers to a node that is not stored: the state root is unknown, or the data is damaged. */
export class MissingNodeError extends Error {
  override readonly name = 'MissingNodeError'
  /** 32 bytes. */
  readonly hash: Uint8Array
  constructor(hash: Uint8Array) {
    super(`Missing trie node ${Buffer.from(hash).toString('hex')}`)
    this.hash = hash
  }
}

/**
 * How a node stands in its parent: the RLP item of its hash (33 bytes) or, if its own RLP is shorter than 32
 * bytes, that RLP itself (Yellow Paper, appendix D).
 */
export type Reference = Uint8Array

/** A child of a node in the making: still as stored, or changed and not yet encoded. */
export type Child = Reference | NewNode

/** The end of a key's path, with its value. */
export interface LeafNode {
  kind: 'leaf'
  path: Nibbles
  value: Uint8Array
}

/** A piece of path that all keys below share; the child is a branch. */
export interface ExtensionNode {
  kind: 'extension'
  path: Nibbles
  child: Child
}

/** A fork of up to sixteen ways, and the value of the key that ends here. */
export interface BranchNode {
  kind: 'branch'
  children: (Child | undefined)[]
  value: Uint8Array | undefined
}

export type TrieNode = LeafNode | ExtensionNode | BranchNode

/** Where an item of a stored branch lies in its RLP, and what takes its place. */
export interface BranchPatch {
  start: number
  end: number
  child: Child
}

/** A stored branch of which some children change while it stays a branch: the other children are never looked at. */
export interface PatchedBranch {
  kind: 'patched branch'
  /** As it is stored. */
  rlp: Uint8Array
  /** In the order of their places. */
  patches: readonly BranchPatch[]
}

/** A node in the making. */
export type NewNode = TrieNode | PatchedBranch

const HASH_ITEM_LENGTH = 33
const EMPTY_ITEM = Uint8Array.of(0x80)

/** The root of a trie without entries: keccak-256 of the RLP of no bytes. */
export const EMPTY_ROOT: Uint8Array = keccak256(EMPTY_ITEM)

/** The 32-byte hash in a reference, or undefined if the reference is the node itself. */
export function hashOf(reference: Reference): Uint8Array | undefined {
  return reference.length === HASH_ITEM_LENGTH ? reference.subarray(1) : undefined
}

/** The reference to a node of this 32-byte hash. */
export function referenceTo(hash: Uint8Array): Reference {
  const reference = new Uint8Array(HASH_ITEM_LENGTH)
  reference[0] = 0xa0
  reference.set(hash, 1)
  return reference
}

/** The RLP of the node behind a reference. */
export function rlpOf(reader: NodeReader, reference: Reference): Uint8Array {
  const hash = hashOf(reference)
  return hash === undefined ? reference : reader.getNode(hash)
}

/** A node from its RLP; children and value are views on it. */
export function decodeNode(rlp: Uint8Array): TrieNode {
  const items = itemsOf(rlp)
  const [first, second] = items
  if (items.length === 2 && first !== undefined && second !== undefined) {
    const encodedPath = payloadOf(first)
    const path = decodePath(encodedPath)
    return isLeafPath(encodedPath)
      ? { kind: 'leaf', path, value: payloadOf(second) }
      : { kind: 'extension', path, child: second }
  }
  const last = items.pop()
  const children: (Child | undefined)[] = items
  for (let i = 0; i < children.length; i++) {
    if ((children[i] as Reference)[0] === 0x80) children[i] = undefined
  }
  const value = last === undefined ? EMPTY_ITEM : payloadOf(last)
  return { kind: 'branch', children, value: value.length === 0 ? undefined : value }
}

/**
 * The RLP of a node; `seal` turns children that are not encoded yet into references.
 */
export function encodeNode(node: NewNode, seal: (child: NewNode) => Reference): Uint8Array {
  const refer = (child: Child) => (child instanceof Uint8Array ? child : seal(child))
  switch (node.kind) {
    case 'leaf':
      return encodeList([encodeString(encodePath(node.path, { leaf: true })), encodeString(node.value)])
    case 'extension':
      return encodeList([encodeString(encodePath(node.path, { leaf: false })), refer(node.child)])
    case 'patched branch':
      return encodePatched(
        node.rlp,
        node.patches.map(({ start, end, child }) => ({ start, end, item: refer(child) })),
      )
    case 'branch': {
      const items = node.children.map((child) => (child === undefined ? EMPTY_ITEM : refer(child)))
      items.push(node.value === undefined ? EMPTY_ITEM : encodeString(node.value))
      return encodeList(items)
    }
  }
}

interface EncodedPatch {
  start: number
  end: number
  item: Reference
}

/** The RLP of a branch with other items. Mostly hashes replace hashes, and nothing moves. */
function encodePatched(rlp: Uint8Array, patches: readonly EncodedPatch[]): Uint8Array {
  if (patches.every(({ start, end, item }) => item.length === end - start)) {
    // What the database gives is a Buffer, whose slice() is no copy.
    const copy = new Uint8Array(rlp)
    for (const { start, item } of patches) copy.set(item, start)
    return copy
  }
  const pieces: Uint8Array[] = []
  let position = listStart(rlp)
  for (const { start, end, item } of patches) {
    pieces.push(rlp.subarray(position, start), item)
    position = end
  }
  return encodeList([...pieces, rlp.subarray(position)])
}
