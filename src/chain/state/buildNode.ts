import { commonWithKey, nibbleAt, nibblesOf } from './nibbles.js'
import type { BranchNode, Child, TrieNode } from './trieNode.js'

/** A key (hashed, for state and storage tries) and its value, which is not empty. */
export interface TrieEntry {
  key: Uint8Array
  value: Uint8Array
}

const NO_KEY = new Uint8Array(0)

/** The node over sorted entries that are all new, `depth` half bytes down their keys; undefined over none. */
export function buildNode(entries: readonly TrieEntry[], depth: number): TrieNode | undefined {
  const first = entries[0]
  const last = entries.at(-1)
  if (first === undefined || last === undefined) return undefined
  const path = nibblesOf(first.key, depth)
  if (first === last) return { kind: 'leaf', path, value: first.value }
  const shared = commonWithKey(path, last.key, depth)
  const branch = buildBranch(entries, depth + shared)
  return shared === 0 ? branch : { kind: 'extension', path: path.subarray(0, shared), child: branch }
}

function buildBranch(entries: readonly TrieEntry[], depth: number): BranchNode {
  const children = new Array<Child | undefined>(16).fill(undefined)
  const endsHere = entries[0]?.key.length === depth / 2
  let from = endsHere ? 1 : 0
  while (from < entries.length) {
    const nibble = nibbleAt(entries[from]?.key ?? NO_KEY, depth)
    let to = from + 1
    while (to < entries.length && nibbleAt(entries[to]?.key ?? NO_KEY, depth) === nibble) to++
    children[nibble] = buildNode(entries.slice(from, to), depth + 1)
    from = to
  }
  return { kind: 'branch', children, value: endsHere ? entries[0]?.value : undefined }
}
