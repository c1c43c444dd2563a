import {
  type Payload,
  encodeString,
  listLength,
  payloadStart,
  payloadAt,
  stringLength,
  writeListHeader,
  writeString,
} from '../rlp.js'
import { NO_BYTES } from './account.js'
import {
  HASH_HEAD,
  HASH_ITEM_LENGTH,
  LEAF_FLAG,
  type Nibbles,
  type NodeLink,
  NodeRecord,
  commonWithKey,
  encodePath,
  endsAtLeaf,
  joinPaths,
  leafPath,
  linksLength,
  nibbleAt,
  nibblesOf,
  nodeMemory,
} from './nodeRecord.js'
import {
  type BranchNode,
  type Child,
  EMPTY_ITEM,
  type ItemOffsets,
  type NewNode,
  type NodeReader,
  type PatchedBranch,
  Reference,
  type TrieNode,
  type TrieValue,
  decodeNode,
  nodeBehind,
  storageLink,
} from './trieNode.js'

/** A child that is already encoded. */
type EncodedChild = Reference | NodeRecord

/** The empty item of a branch. */
export const NO_CHILD = new Reference(EMPTY_ITEM)

/** Called with each node that is made. */
export type NodeListener = (record: NodeRecord) => void

/** Makes the record of a node, after those of its children that are not made yet. */
export function makeRecord(node: NewNode, made: NodeListener): NodeRecord {
  switch (node.kind) {
    case 'leaf':
      return leafRecord(encodeString(encodePath(node.path, { leaf: true })), node)
    case 'extension': {
      const path = new Reference(encodeString(encodePath(node.path, { leaf: false })))
      return listRecord([path, makeChild(node.child, made)])
    }
    case 'patched branch':
      return patchedRecord(node, made)
    case 'branch': {
      const items = node.children.map((child) => (child === undefined ? NO_CHILD : makeChild(child, made)))
      items.push(node.value === undefined ? NO_CHILD : new Reference(encodeString(node.value)))
      return listRecord(items)
    }
  }
}

/** Makes the record of a leaf. @param pathItem - its hex-prefix path as an RLP item */
function leafRecord(pathItem: Uint8Array, { value, link }: TrieValue): NodeRecord {
  const length = pathItem.length + stringLength(value)
  const bytes = nodeMemory(listLength(length) + linksLength(link === undefined ? 0 : 1))
  const start = writeListHeader(bytes, length)
  bytes.set(pathItem, start)
  writeString(bytes, start + pathItem.length, value)
  const record = new NodeRecord(bytes, listLength(length))
  if (link !== undefined) record.link(0, link)
  return record
}

/** Makes the record of a leaf from its whole key, with `depth` nibbles above it. */
export function leafOfKey(key: Uint8Array, depth: number, value: TrieValue): NodeRecord {
  return leafRecord(encodeString(leafPath(key, depth)), value)
}

function makeChild(child: Child, made: NodeListener): EncodedChild {
  if (child instanceof Reference) return child
  const record = child instanceof NodeRecord ? child : makeRecord(child, made)
  if (record.hasHash) made(record)
  return record
}

/** Returns the link to a child that has a hash. */
function linkTo(child: EncodedChild): NodeLink | undefined {
  if (child instanceof Reference) return child.link
  return child.hasHash ? child : undefined
}

function listRecord(items: readonly EncodedChild[]): NodeRecord {
  let length = 0
  let links = 0
  for (const item of items) {
    length += item.itemLength
    if (linkTo(item) !== undefined) links++
  }
  const rlpLength = listLength(length)
  const bytes = nodeMemory(rlpLength + linksLength(links))
  const record = new NodeRecord(bytes, rlpLength)
  let position = writeListHeader(bytes, length)
  let linked = 0
  for (const item of items) {
    item.writeItem(bytes, position)
    position += item.itemLength
    const link = linkTo(item)
    if (link !== undefined) record.link(linked++, link)
  }
  return record
}

/** Returns a branch with one item replaced. */
export function withChild(record: NodeRecord, offsets: ItemOffsets, child: NodeRecord): NodeRecord {
  return child.itemLength === offsets.end - offsets.start
    ? patchedCopy(record, [offsets], [child])
    : rebuilt(record, [offsets], [child])
}

/** Returns a branch with some items replaced. */
function patchedRecord({ record, patches }: PatchedBranch, made: NodeListener): NodeRecord {
  const children: EncodedChild[] = []
  let staysInPlace = true
  for (const { start, end, child } of patches) {
    const ready = makeChild(child, made)
    if (ready.itemLength !== end - start) staysInPlace = false
    children.push(ready)
  }
  return staysInPlace ? patchedCopy(record, patches, children) : rebuilt(record, patches, children)
}

/** Copies a branch whose items keep their length, as when hashes replace hashes. */
function patchedCopy(
  record: NodeRecord,
  places: readonly ItemOffsets[],
  children: readonly EncodedChild[],
): NodeRecord {
  const copy = record.copy()
  for (let i = 0; i < places.length; i++) {
    const { start, link } = places[i] as ItemOffsets
    const child = children[i] as EncodedChild
    child.writeItem(copy.bytes, start)
    const target = linkTo(child)
    if (target !== undefined) copy.link(link, target)
  }
  return copy
}

/** Rebuilds a branch, copying the bytes between the replaced items. */
function rebuilt(
  record: NodeRecord,
  places: readonly ItemOffsets[],
  children: readonly EncodedChild[],
): NodeRecord {
  const { bytes: before, rlpLength, linkCount } = record
  let from = payloadStart(before, 0)
  let length = rlpLength - from
  let links = linkCount
  for (let i = 0; i < places.length; i++) {
    const { start, end } = places[i] as ItemOffsets
    const child = children[i] as EncodedChild
    length += child.itemLength - (end - start)
    if (before[start] === HASH_HEAD) links--
    if (linkTo(child) !== undefined) links++
  }
  const bytes = nodeMemory(listLength(length) + linksLength(links))
  const after = new NodeRecord(bytes, listLength(length))
  let position = writeListHeader(bytes, length)
  let oldLink = 0
  let newLink = 0
  for (let i = 0; i < places.length; i++) {
    const { start, end, link } = places[i] as ItemOffsets
    const child = children[i] as EncodedChild
    bytes.set(before.subarray(from, start), position)
    position += start - from
    child.writeItem(bytes, position)
    position += child.itemLength
    from = end
    while (oldLink < link) after.link(newLink++, record.linkAt(oldLink++))
    if (before[start] === HASH_HEAD) oldLink++
    const target = linkTo(child)
    if (target !== undefined) after.link(newLink++, target)
  }
  bytes.set(before.subarray(from, rlpLength), position)
  while (oldLink < linkCount) after.link(newLink++, record.linkAt(oldLink++))
  return after
}

/** A key (hashed in state and storage tries) and its value. */
export interface TrieEntry extends TrieValue {
  key: Uint8Array
}

/** Builds the node for sorted new entries, `depth` nibbles down their keys; undefined for none. */
export function buildNode(entries: readonly TrieEntry[], depth: number): TrieNode | undefined {
  const first = entries[0]
  const last = entries.at(-1)
  if (first === undefined || last === undefined) return undefined
  const path = nibblesOf(first.key, depth)
  if (first === last) return { kind: 'leaf', path, value: first.value, link: first.link }
  const shared = commonWithKey(path, last.key, depth)
  const branch = buildBranch(entries, depth + shared)
  return shared === 0 ? branch : { kind: 'extension', path: path.subarray(0, shared), child: branch }
}

function buildBranch(entries: readonly TrieEntry[], depth: number): BranchNode {
  const children = new Array<Child | undefined>(16).fill(undefined)
  const endsHere = entries[0]?.key.length === depth / 2
  let from = endsHere ? 1 : 0
  while (from < entries.length) {
    const nibble = nibbleAt(entries[from]?.key ?? NO_BYTES, depth)
    let to = from + 1
    while (to < entries.length && nibbleAt(entries[to]?.key ?? NO_BYTES, depth) === nibble) to++
    children[nibble] = buildNode(entries.slice(from, to), depth + 1)
    from = to
  }
  return { kind: 'branch', children, value: endsHere ? entries[0]?.value : undefined }
}

/** Normalises a branch: one with fewer than two entries becomes a leaf or an extension. */
export function collapsed(reader: NodeReader, branch: BranchNode): Child | undefined {
  let onlyChild = -1
  for (const [nibble, child] of branch.children.entries()) {
    if (child === undefined) continue
    if (onlyChild !== -1 || branch.value !== undefined) return branch
    onlyChild = nibble
  }
  if (onlyChild !== -1) return prefixed(reader, Uint8Array.of(onlyChild), branch.children[onlyChild])
  if (branch.value === undefined) return undefined
  return { kind: 'leaf', path: NO_BYTES, value: branch.value }
}

/** Prepends a path to a child, merging it with the child's own path. */
export function prefixed(reader: NodeReader, path: Nibbles, child: Child | undefined): Child | undefined {
  if (child === undefined || path.length === 0) return child
  const node = decoded(reader, child)
  if (node.kind === 'branch' || node.kind === 'patched branch') return { kind: 'extension', path, child }
  return { ...node, path: joinPaths(path, node.path) }
}

function decoded(reader: NodeReader, child: Child): NewNode {
  if (child instanceof Reference) return decodeNode(nodeBehind(reader, child))
  return child instanceof NodeRecord ? decodeNode(child) : child
}

/** Whether a record is the leaf of a different key. */
export function isLeafOfAnother({ bytes }: NodeRecord, depth: number, key: Uint8Array): boolean {
  const path = payloadAt(bytes, payloadStart(bytes, 0))
  return ((bytes[path.start] ?? 0) & LEAF_FLAG) !== 0 && !endsAtLeaf(key, depth, bytes, path)
}

/**
 * Returns a leaf with another value: the record itself if the value is the same, undefined if it is not the leaf of the
 * key.
 */
export function withValue(
  record: NodeRecord,
  depth: number,
  key: Uint8Array,
  { value, link }: TrieValue,
): NodeRecord | undefined {
  const { bytes } = record
  const pathStart = payloadStart(bytes, 0)
  const path = payloadAt(bytes, pathStart)
  if (!endsAtLeaf(key, depth, bytes, path)) return undefined
  const before = payloadAt(bytes, path.end)
  if (isSameAt(bytes, before, value)) return record
  const leaf = { value: bytes.subarray(before.start, before.end), link: storageLink(record) }
  return leafRecord(bytes.subarray(pathStart, path.end), { value, link: link ?? linkAfter(leaf, value) })
}

/** Length of the end of an account's RLP: the items of its storage root and its code hash. */
const ROOT_AND_CODE_HASH = 2 * HASH_ITEM_LENGTH

/** Returns the link of an account's leaf after its value has changed, if it still names the same storage root. */
export function linkAfter({ value: before, link }: TrieValue, after: Uint8Array): NodeLink | undefined {
  if (link === undefined) return undefined
  const from = before.length - ROOT_AND_CODE_HASH
  const to = after.length - ROOT_AND_CODE_HASH
  for (let i = 0; i < HASH_ITEM_LENGTH; i++) if (before[from + i] !== after[to + i]) return undefined
  return link
}

function isSameAt(bytes: Uint8Array, { start, end }: Payload, value: Uint8Array): boolean {
  if (end - start !== value.length) return false
  for (let i = 0; i < value.length; i++) if (bytes[start + i] !== value[i]) return false
  return true
}
