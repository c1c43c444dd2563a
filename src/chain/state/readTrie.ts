import { bytesEqual } from '../../encoding/hex.js'
import { commonWithKey, decodePath, endsWith, isLeafPath, nibbleAt } from './nibbles.js'
import { childAt } from './nodeRecord.js'
import { isPair, itemAt, itemEnd, payloadOf } from '../rlp.js'
import { EMPTY_ROOT, nodeBehind, referenceIn } from './trieNode.js'
import type { NodeReader } from './trieNode.js'

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
  if (bytesEqual(root, EMPTY_ROOT)) return undefined
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
