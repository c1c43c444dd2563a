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

/** Finds trie nodes. The nodes are read-only. */
export interface NodeReader {
  /**
   * Returns the root node of a trie by its 32-byte hash.
   *
   * @throws MissingNodeError if it is not stored
   */
  getRoot(hash: Uint8Array): NodeRecord
  /**
   * Returns a node by the number in a link.
   *
   * @throws DataDirectoryError if it is not stored
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

/** A reference to a node from its parent (Yellow Paper, appendix D). */
export class Reference {
  /** RLP item of the node's hash (33 bytes), or the node's own RLP if that is shorter than 32 bytes. */
  readonly item: Uint8Array
  /** Link to a node with a hash. */
  readonly link: NodeLink | undefined

  constructor(item: Uint8Array, link?: NodeLink) {
    this.item = item
    this.link = link
  }

  /** Length of the item in bytes. */
  get itemLength(): number {
    return this.item.length
  }

  writeItem(into: Uint8Array, position: number): void {
    into.set(this.item, position)
  }
}

/** A child of a node under construction: stored, changed but not yet encoded, or encoded. */
export type Child = Reference | NewNode | NodeRecord

/** What a trie holds under a key. */
export interface TrieValue {
  /** Not empty. */
  value: Uint8Array
  /** Leads to the storage root that an account names, if it is known where that is. */
  link?: NodeLink | undefined
}

/** The end of a key's path, with its value. */
export interface LeafNode extends TrieValue {
  kind: 'leaf'
  path: Nibbles
}

/** A path segment that all keys below share; the child is a branch. */
export interface ExtensionNode {
  kind: 'extension'
  path: Nibbles
  child: Child
}

/** A branch with up to sixteen children, and the value of the key that ends here. */
export interface BranchNode {
  kind: 'branch'
  children: (Child | undefined)[]
  value: Uint8Array | undefined
}

/** A node of a Merkle Patricia trie (Yellow Paper, appendix D). */
export type TrieNode = LeafNode | ExtensionNode | BranchNode

/** Offsets of an item within the RLP of a stored branch. */
export interface ItemOffsets {
  start: number
  end: number
  /** Number of hashes among the items before it. */
  link: number
}

/** A replacement of an item in a stored branch. */
export interface BranchPatch extends ItemOffsets {
  /** Index of the item. */
  index: number
  child: Child
}

/** A stored branch with some children replaced; the other children are never read. */
export interface PatchedBranch {
  kind: 'patched branch'
  /** The stored branch. */
  record: NodeRecord
  /** In the order of their offsets. */
  patches: readonly BranchPatch[]
}

/** A node under construction. */
export type NewNode = TrieNode | PatchedBranch

/** RLP of the empty string. */
export const EMPTY_ITEM = Uint8Array.of(0x80)

/** Resolves a reference to its node. */
export function nodeBehind(reader: NodeReader, { item, link }: Reference): NodeRecord {
  return link === undefined ? new NodeRecord(item, item.length) : follow(reader, link)
}

/** Resolves a link to its node. */
export function follow(reader: NodeReader, link: NodeLink): NodeRecord {
  return typeof link === 'number' ? reader.getNode(link) : link
}

/** Returns the child in an item of a stored branch; undefined if the item is empty. */
export function childOfBranch(
  reader: NodeReader,
  branch: NodeRecord,
  { start, end, link }: ItemOffsets,
): NodeRecord | undefined {
  const head = branch.bytes[start]
  if (head === 0x80) return undefined
  if (head === HASH_HEAD) return follow(reader, branch.linkAt(link))
  return new NodeRecord(branch.bytes.subarray(start, end), end - start)
}

/** Decodes a node; children and value are views of the record. */
export function decodeNode(record: NodeRecord): TrieNode {
  const items = itemsOf(record.rlp)
  const [first, second] = items
  if (items.length === 2 && first !== undefined && second !== undefined) {
    const encodedPath = payloadOf(first)
    const path = decodePath(encodedPath)
    if (isLeafPath(encodedPath)) {
      return { kind: 'leaf', path, value: payloadOf(second), link: storageLink(record) }
    }
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

/** Creates the reference for an item of a node. @param link - number of hashes among the items before it */
function referenceIn(record: NodeRecord, item: Uint8Array, link: number): Reference {
  return item[0] === HASH_HEAD ? new Reference(item, record.linkAt(link)) : new Reference(item)
}

/** Returns the link of an account's leaf to its storage root, if it has one. */
export function storageLink(leaf: NodeRecord): NodeLink | undefined {
  return leaf.linkCount === 0 ? undefined : leaf.linkAt(0)
}

/** Called with every stored node on a path, from the root down. */
type NodeVisitor = (rlp: Uint8Array) => void

/** The root of a trie: its 32-byte hash, and a link to its node if it is known where that is. */
export interface RootReference {
  hash: Uint8Array
  link?: NodeLink | undefined
}

/**
 * Returns the value of a key in the trie under a root, or undefined. The value is a read-only view of a stored node.
 *
 * @param key - as in the trie: hashed in state and storage tries
 * @throws MissingNodeError if the root is unknown
 */
export function readTrie(reader: NodeReader, root: Uint8Array, key: Uint8Array): Uint8Array | undefined {
  return findInTrie(reader, { hash: root }, key)?.value
}

/** Version of {@link readTrie} that follows a link to the root and returns the one of an account. */
export function findInTrie(
  reader: NodeReader,
  root: RootReference,
  key: Uint8Array,
  visit?: NodeVisitor,
): TrieValue | undefined {
  if (bytesEqual(root.hash, EMPTY_TRIE_ROOT)) return undefined
  let node = root.link === undefined ? reader.getRoot(root.hash) : follow(reader, root.link)
  visit?.(node.rlp)
  for (let depth = 0; ;) {
    const { rlp } = node
    let item: Uint8Array
    let link = 0
    if (isPair(rlp)) {
      const encodedPath = payloadOf(itemAt(rlp, 0))
      const path = decodePath(encodedPath)
      if (isLeafPath(encodedPath)) {
        if (!endsWith(key, depth, path)) return undefined
        return { value: payloadOf(itemAt(rlp, 1)), link: storageLink(node) }
      }
      if (commonWithKey(path, key, depth) < path.length) return undefined
      depth += path.length
      item = itemAt(rlp, 1)
    } else if (depth === key.length * 2) {
      const value = payloadOf(itemAt(rlp, 16))
      return value.length === 0 ? undefined : { value }
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
 * Collects the RLP of the nodes from the root towards a key: a proof of its value or its absence. Embedded nodes are
 * not listed separately, as in geth (trie/proof.go).
 */
export function proveKey(
  reader: NodeReader,
  root: RootReference,
  key: Uint8Array,
): { found: TrieValue | undefined; proof: Uint8Array[] } {
  const proof: Uint8Array[] = []
  const found = findInTrie(reader, root, key, (rlp) => proof.push(rlp))
  return { found, proof }
}
