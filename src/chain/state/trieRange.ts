import { bytesEqual } from '../../encoding/hex.js'
import { EMPTY_TRIE_ROOT, type Nibbles, type NodeRecord, joinPaths, nibblesOf } from './nodeRecord.js'
import { type NodeReader, Reference, type TrieNode, decodeNode, nodeBehind, readTrie } from './trieNode.js'

/** An entry of a trie. */
export interface TrieLeaf {
  /** As in the trie: hashed in state and storage tries. */
  key: Uint8Array
  /** A view of a stored node. */
  value: Uint8Array
}

const NO_PATH: Nibbles = new Uint8Array(0)

/**
 * Iterates over the entries of a trie in key order.
 *
 * @param start - the first key or a prefix of it; smaller keys are skipped
 * @throws MissingNodeError if the root is not stored
 */
export function* leavesFrom(reader: NodeReader, root: Uint8Array, start: Uint8Array): Generator<TrieLeaf> {
  if (bytesEqual(root, EMPTY_TRIE_ROOT)) return
  yield* leavesBelow(reader, reader.getRoot(root), NO_PATH, nibblesOf(start, 0))
}

function* leavesBelow(
  reader: NodeReader,
  record: NodeRecord,
  path: Nibbles,
  start: Nibbles,
): Generator<TrieLeaf> {
  if (isBefore(path, start)) return
  const node = decodeNode(record)
  if (node.kind === 'leaf') {
    const key = joinPaths(path, node.path)
    if (Buffer.compare(key, start) >= 0) yield { key: packed(key), value: node.value }
    return
  }
  for (const [step, child] of childrenOf(node)) {
    yield* leavesBelow(reader, nodeBehind(reader, child), joinPaths(path, step), start)
  }
}

/**
 * Iterates, in key order, over the entries of `after` that are missing or different in `before`. Skips what both tries
 * share.
 *
 * @throws MissingNodeError if a root is not stored
 */
export function* changedLeaves(
  reader: NodeReader,
  before: Uint8Array,
  after: Uint8Array,
): Generator<TrieLeaf> {
  if (bytesEqual(before, after) || bytesEqual(after, EMPTY_TRIE_ROOT)) return
  const known = bytesEqual(before, EMPTY_TRIE_ROOT) ? undefined : reader.getRoot(before)
  const isChanged = ({ key, value }: TrieLeaf): boolean => {
    const old = readTrie(reader, before, key)
    return old === undefined || !bytesEqual(old, value)
  }
  yield* changedBelow(reader, { record: reader.getRoot(after), known, path: NO_PATH }, isChanged)
}

function* changedBelow(
  reader: NodeReader,
  { record, known, path }: { record: NodeRecord; known: NodeRecord | undefined; path: Nibbles },
  isChanged: (leaf: TrieLeaf) => boolean,
): Generator<TrieLeaf> {
  const node = decodeNode(record)
  const old = known === undefined ? undefined : decodeNode(known)
  if (node.kind !== 'branch' || old?.kind !== 'branch') {
    for (const leaf of leavesBelow(reader, record, path, NO_PATH)) if (isChanged(leaf)) yield leaf
    return
  }
  const oldChildren = new Map(childrenOf(old).map(([step, child]) => [step[0], child]))
  for (const [step, child] of childrenOf(node)) {
    const was = oldChildren.get(step[0])
    if (was !== undefined && bytesEqual(was.item, child.item)) continue
    yield* changedBelow(
      reader,
      {
        record: nodeBehind(reader, child),
        known: was && nodeBehind(reader, was),
        path: joinPaths(path, step),
      },
      isChanged,
    )
  }
}

/** Returns the children of a stored node, each with the path that leads to it. */
function childrenOf(node: Exclude<TrieNode, { kind: 'leaf' }>): [step: Nibbles, child: Reference][] {
  const children =
    node.kind === 'extension'
      ? [[node.path, node.child] as const]
      : node.children.map((child, nibble) => [Uint8Array.of(nibble), child] as const)
  return children.filter((pair): pair is [Nibbles, Reference] => pair[1] instanceof Reference)
}

/** Whether all keys below a path are smaller than a key. */
function isBefore(path: Nibbles, start: Nibbles): boolean {
  return Buffer.compare(path, start.subarray(0, path.length)) < 0
}

function packed(nibbles: Nibbles): Uint8Array {
  return Uint8Array.from(
    { length: nibbles.length / 2 },
    (_, index) => ((nibbles[2 * index] ?? 0) << 4) | (nibbles[2 * index + 1] ?? 0),
  )
}
