import { encodePath, leafPath } from './nibbles.js'
import { nodeMemory } from './nodeMemory.js'
import { HASH_HEAD, linksLength, NodeRecord, type NodeLink } from './nodeRecord.js'
import { encodeString, listLength, listStart, stringLength, writeListHeader, writeString } from '../rlp.js'
import { EMPTY_ITEM, Reference } from './trieNode.js'
import type { Child, ItemPlace, NewNode, PatchedBranch } from './trieNode.js'

/** A child that has its encoding. */
type MadeChild = Reference | NodeRecord

/** What stands in a branch where nothing is. */
export const NO_CHILD = new Reference(EMPTY_ITEM)

/** What is told about the nodes that are made. */
export type NodeListener = (record: NodeRecord) => void

/** Makes the record of a node, and before it those of its children that are not made yet. */
export function makeRecord(node: NewNode, made: NodeListener): NodeRecord {
  switch (node.kind) {
    case 'leaf':
      return leafRecord(encodeString(encodePath(node.path, { leaf: true })), node.value)
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

/** The record of a leaf. @param pathItem - its path in the compact form, as an RLP item */
export function leafRecord(pathItem: Uint8Array, value: Uint8Array): NodeRecord {
  const length = pathItem.length + stringLength(value)
  const bytes = nodeMemory(listLength(length))
  const start = writeListHeader(bytes, length)
  bytes.set(pathItem, start)
  writeString(bytes, start + pathItem.length, value)
  return new NodeRecord(bytes, bytes.length)
}

/** The record of a leaf by its whole key, of which `depth` half bytes lie above it. */
export function leafOfKey(key: Uint8Array, depth: number, value: Uint8Array): NodeRecord {
  return leafRecord(encodeString(leafPath(key, depth)), value)
}

function makeChild(child: Child, made: NodeListener): MadeChild {
  if (child instanceof Reference) return child
  const record = child instanceof NodeRecord ? child : makeRecord(child, made)
  if (record.hasHash) made(record)
  return record
}

/** Where a child with a hash is. */
function linkTo(child: MadeChild): NodeLink | undefined {
  if (child instanceof Reference) return child.link
  return child.hasHash ? child : undefined
}

function listRecord(items: readonly MadeChild[]): NodeRecord {
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

/** A branch with another item in one place. */
export function withChild(record: NodeRecord, place: ItemPlace, child: NodeRecord): NodeRecord {
  return child.itemLength === place.end - place.start
    ? patchedCopy(record, [place], [child])
    : rebuilt(record, [place], [child])
}

/** A branch with other items. */
function patchedRecord({ record, patches }: PatchedBranch, made: NodeListener): NodeRecord {
  const children: MadeChild[] = []
  let staysInPlace = true
  for (const { start, end, child } of patches) {
    const ready = makeChild(child, made)
    if (ready.itemLength !== end - start) staysInPlace = false
    children.push(ready)
  }
  return staysInPlace ? patchedCopy(record, patches, children) : rebuilt(record, patches, children)
}

/** Mostly hashes take the place of hashes, and nothing moves. */
function patchedCopy(
  record: NodeRecord,
  places: readonly ItemPlace[],
  children: readonly MadeChild[],
): NodeRecord {
  const copy = record.copy()
  for (let i = 0; i < places.length; i++) {
    const { start, link } = places[i] as ItemPlace
    const child = children[i] as MadeChild
    child.writeItem(copy.bytes, start)
    const target = linkTo(child)
    if (target !== undefined) copy.link(link, target)
  }
  return copy
}

/** What lies between the places is copied as it is. */
function rebuilt(
  record: NodeRecord,
  places: readonly ItemPlace[],
  children: readonly MadeChild[],
): NodeRecord {
  const { bytes: before, rlpLength, linkCount } = record
  let from = listStart(before)
  let length = rlpLength - from
  let links = linkCount
  for (let i = 0; i < places.length; i++) {
    const { start, end } = places[i] as ItemPlace
    const child = children[i] as MadeChild
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
    const { start, end, link } = places[i] as ItemPlace
    const child = children[i] as MadeChild
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
