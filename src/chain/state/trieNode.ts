import { bytesEqual } from '../../encoding/hex.js'
import { isPair, itemAt, itemEnd, itemsOf, payloadOf } from '../rlp.js'
import {
  EMPTY_TRIE_ROOT,
  HASH_HEAD,
  type Nibbles,
  type NodeLink,
  type NodeNumber,
  NodeRecord,
  childAt,
  commonWithKey,
  decodePath,
  endsWith,
  isLeafPath,
  nibbleAt,
} from './nodeRecord.js'

/** What finds trie nodes. Readers leave them unchanged. */
export interface NodeReader {
  /**
   * The root of a trie by its 32-byte hash.
   *
   * @throws MissingNodeError if it is not stored.
   */
  getRoot(hash: Uint8Array): NodeRecord
  /**
   * The node with a number that a link names.
   *
   * @throws DataDirectoryError if it is not stored.
   */
  getNode(number: NodeNumber): NodeRecord
}

/** A root is not stored: the state is unknown, or the data is damaged. */
export class MissingNodeError extends Error {
  override readonly name = 'MissingNodeError'
  /** 32 bytes. */
  readonly hash: Uint8Array
  constructor(hash: Uint8Array) {
    super(`Missing trie node ${Buffer.from(hash).toString('hex')}`)
    this.hash = hash
  }
}

/** How a node stands in its parent (Yellow Paper, appendix D). */
export class Reference {
  /** The RLP item of the node's hash (33 bytes) or, if its own RLP is shorter than 32 bytes, that RLP itself. */
  readonly item: Uint8Array
  /** Where a node with a hash is. */
  readonly link: NodeLink | undefined

  constructor(item: Uint8Array, link?: NodeLink) {
    this.item = item
    this.link = link
  }

  /** How long the item is. */
  get itemLength(): number {
    return this.item.length
  }

  /** Writes the item. */
  writeItem(into: Uint8Array, position: number): void {
    into.set(this.item, position)
  }
}

/** A child of a node in the making: still as stored, changed and not yet encoded, or encoded. */
export type Child = Reference | NewNode | NodeRecord

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

/** Where an item of a stored branch lies in its RLP. */
export interface ItemPlace {
  start: number
  end: number
  /** How many items before it are hashes. */
  link: number
}

/** An item of a stored branch, and what takes its place. */
export interface BranchPatch extends ItemPlace {
  /** Which of the items it is. */
  index: number
  child: Child
}

/** A stored branch of which some children change while it stays a branch: the other children are never looked at. */
export interface PatchedBranch {
  kind: 'patched branch'
  /** As it is stored. */
  record: NodeRecord
  /** In the order of their places. */
  patches: readonly BranchPatch[]
}

/** A node in the making. */
export type NewNode = TrieNode | PatchedBranch

/** The RLP item of no bytes. */
export const EMPTY_ITEM = Uint8Array.of(0x80)

/** The node behind a reference. */
export function nodeBehind(reader: NodeReader, { item, link }: Reference): NodeRecord {
  return link === undefined ? new NodeRecord(item, item.length) : follow(reader, link)
}

/** The node behind a link. */
export function follow(reader: NodeReader, link: NodeLink): NodeRecord {
  return typeof link === 'number' ? reader.getNode(link) : link
}

/** The node behind the item of a branch that lies there, as it is stored; undefined if there is none. */
export function childOfBranch(
  reader: NodeReader,
  branch: NodeRecord,
  { start, end, link }: ItemPlace,
): NodeRecord | undefined {
  const head = branch.bytes[start]
  if (head === 0x80) return undefined
  if (head === HASH_HEAD) return follow(reader, branch.linkAt(link))
  return new NodeRecord(branch.bytes.subarray(start, end), end - start)
}

/** A node from its record; children and value are views on it. */
export function decodeNode(record: NodeRecord): TrieNode {
  const items = itemsOf(record.rlp)
  const [first, second] = items
  if (items.length === 2 && first !== undefined && second !== undefined) {
    const encodedPath = payloadOf(first)
    const path = decodePath(encodedPath)
    if (isLeafPath(encodedPath)) return { kind: 'leaf', path, value: payloadOf(second) }
    return { kind: 'extension', path, child: referenceIn(record, second, 0) }
  }
  const children: (Child | undefined)[] = []
  let link = 0
  for (let i = 0; i < 16; i++) {
    const item = items[i] as Uint8Array
    children.push(item[0] === 0x80 ? undefined : referenceIn(record, item, link))
    if (item[0] === HASH_HEAD) link++
  }
  const value = payloadOf(items[16] as Uint8Array)
  return { kind: 'branch', children, value: value.length === 0 ? undefined : value }
}

/** The reference that an item of a node is. @param link - how many items before it are hashes */
export function referenceIn(record: NodeRecord, item: Uint8Array, link: number): Reference {
  return item[0] === HASH_HEAD ? new Reference(item, record.linkAt(link)) : new Reference(item)
}

/** What walks a path is told about every stored node on it, from the root down. */
type NodeVisitor = (rlp: Uint8Array) => void

/**
 * The value of a key in the trie under a root, or undefined. A view on a stored node: it is left unchanged.
 *
 * @param key the key as the trie has it: hashed, for state and storage tries.
 * @throws MissingNodeError if the root is unknown.
 */
export function readTrie(
  reader: NodeReader,
  root: Uint8Array,
  key: Uint8Array,
  visit?: NodeVisitor,
): Uint8Array | undefined {
  if (bytesEqual(root, EMPTY_TRIE_ROOT)) return undefined
  let node = reader.getRoot(root)
  visit?.(node.rlp)
  for (let depth = 0; ;) {
    const { rlp } = node
    let item: Uint8Array
    let link = 0
    if (isPair(rlp)) {
      const encodedPath = payloadOf(itemAt(rlp, 0))
      const path = decodePath(encodedPath)
      if (isLeafPath(encodedPath)) return endsWith(key, depth, path) ? payloadOf(itemAt(rlp, 1)) : undefined
      if (commonWithKey(path, key, depth) < path.length) return undefined
      depth += path.length
      item = itemAt(rlp, 1)
    } else if (depth === key.length * 2) {
      const value = payloadOf(itemAt(rlp, 16))
      return value.length === 0 ? undefined : value
    } else {
      const child = childAt(rlp, nibbleAt(key, depth++))
      if (rlp[child.start] === 0x80) return undefined
      item = rlp.subarray(child.start, itemEnd(rlp, child.start))
      link = child.link
    }
    const reference = referenceIn(node, item, link)
    node = nodeBehind(reader, reference)
    if (reference.link !== undefined) visit?.(node.rlp)
  }
}

/**
 * The nodes from the root towards a key, as RLP: what proves its value, or that it has none. Nodes that stand
 * inside their parent are not listed by themselves, as in geth's proofs (trie/proof.go).
 */
export function proveKey(
  reader: NodeReader,
  root: Uint8Array,
  key: Uint8Array,
): { value: Uint8Array | undefined; proof: Uint8Array[] } {
  const proof: Uint8Array[] = []
  const value = readTrie(reader, root, key, (rlp) => proof.push(rlp))
  return { value, proof }
}
