import { decodeRlp, getBytes, hexlify, keccak256 } from 'ethers'

type Item = string | Item[]

/**
 * Follows a Merkle Patricia proof from its root to a key as in appendix D of the Yellow Paper. Uses only ethers' RLP
 * and Keccak, none of the code under test.
 *
 * @param root the hash of the first node
 * @param key the hash of the address or slot
 * @param proof the nodes, RLP as hex, from the root down
 * @returns the RLP-encoded value, or undefined if the proof shows that the key is absent
 * @throws Error if the proof is invalid
 */
export function verifyMerkleProof(root: string, key: string, proof: readonly string[]): string | undefined {
  const path = [...getBytes(key)].flatMap((byte) => [byte >> 4, byte & 15])
  let expected = root
  let depth = 0
  for (const [index, encoded] of proof.entries()) {
    if (keccak256(encoded) !== expected) throw new Error(`node ${index} of the proof has another hash`)
    let node = decodeRlp(encoded)
    // A node shorter than 32 bytes is embedded in its parent instead of referenced by hash.
    for (;;) {
      const step = descend(node, path.slice(depth))
      if (step === undefined) return endOfProof(proof, index, undefined)
      if (step.consumed === path.length - depth && step.isValue)
        return endOfProof(proof, index, String(step.next))
      depth += step.consumed
      if (typeof step.next === 'string') {
        if (step.next === '0x') return endOfProof(proof, index, undefined)
        expected = step.next
        break
      }
      node = step.next
    }
  }
  if (proof.length === 0 && root === keccak256('0x80')) return undefined
  throw new Error('the proof ends before the key does')
}

interface Step {
  next: Item
  consumed: number
  isValue: boolean
}

/** Descends from a node along a path; undefined if the node shows that the key is absent. */
function descend(node: Item, path: readonly number[]): Step | undefined {
  if (!Array.isArray(node)) throw new Error('a node is no list')
  if (node.length === 17) {
    const [nibble] = path
    if (nibble === undefined) return { next: node[16] as Item, consumed: 0, isValue: true }
    return { next: node[nibble] as Item, consumed: 1, isValue: false }
  }
  const [encodedPath, next] = node as [string, Item]
  const nibbles = [...getBytes(encodedPath)].flatMap((byte) => [byte >> 4, byte & 15])
  const [flag = 0] = nibbles
  const own = nibbles.slice(flag % 2 === 1 ? 1 : 2)
  const isLeaf = flag >= 2
  const matches = own.every((nibble, index) => nibble === path[index])
  if (!matches || (isLeaf && own.length !== path.length)) return undefined
  return { next, consumed: own.length, isValue: isLeaf }
}

function endOfProof(proof: readonly string[], index: number, value: string | undefined): string | undefined {
  if (index !== proof.length - 1) throw new Error('the proof goes on behind its end')
  return value === undefined ? undefined : hexlify(value)
}
