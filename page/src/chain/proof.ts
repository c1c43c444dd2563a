import { keccak_256 } from '@noble/hashes/sha3.js'
import type { Hex } from 'viem'
import { bytesToHex, fromRlp, hexToBytes } from 'viem'

/** A node of a Merkle Patricia trie on the path to a key. */
export interface ProofNode {
  kind: 'branch' | 'extension' | 'leaf' | 'embedded'
  /** keccak-256 of its RLP. */
  hash: string
  /** Hash of it in its parent, or the root. */
  expected: string
  /** Nibbles of the key that it consumes. */
  digits: string
  /** Length of its RLP in bytes. */
  size: number
}

/** Path through a trie to a key. */
export interface ProvenPath {
  nodes: ProofNode[]
  /** RLP of the value; undefined if the key is not in the trie. */
  value: string | undefined
  /** Whether the hash of each node matches its parent. */
  isValid: boolean
  /** Why the proof is invalid, if it is. */
  problem: string | undefined
}

type Item = Hex | readonly Item[]

/**
 * Walks a proof from the root to a key and checks the hash of each node (Ethereum Yellow Paper, appendix D).
 *
 * @param root - 32 bytes in hexadecimal
 * @param key - unhashed key: an address or a slot
 * @param proof - RLP of the nodes, from the root down
 */
export function walkProof(root: string, key: string, proof: readonly string[]): ProvenPath {
  const path = bytesToHex(keccak_256(hexToBytes(key as Hex))).slice(2)
  const nodes: ProofNode[] = []
  let expected: Item = root as Hex
  let at = 0
  let next = 0
  const end = (value: string | undefined, problem?: string): ProvenPath => ({
    nodes,
    value,
    isValid: problem === undefined,
    problem,
  })
  for (;;) {
    // A node shorter than a hash is embedded in its parent.
    const isEmbedded: boolean = typeof expected !== 'string'
    const encoded: Hex | undefined = isEmbedded ? undefined : (proof[next] as Hex | undefined)
    if (!isEmbedded && encoded === undefined) {
      return end(undefined, nodes.length === 0 && proof.length === 0 ? undefined : 'a node is missing')
    }
    const hash = encoded === undefined ? '' : bytesToHex(keccak_256(hexToBytes(encoded)))
    if (encoded !== undefined) next += 1
    const item: Item = encoded === undefined ? expected : fromRlp(encoded, 'hex')
    if (typeof item === 'string') return end(undefined, 'a node is not an RLP list')
    const size = encoded === undefined ? 0 : (encoded.length - 2) / 2
    const add = (kind: ProofNode['kind'], digits: string): void => {
      const expectedHash = typeof expected === 'string' ? expected : ''
      nodes.push({
        kind: encoded === undefined ? 'embedded' : kind,
        hash,
        expected: expectedHash,
        digits,
        size,
      })
    }
    const mismatch =
      encoded !== undefined && hash !== expected ? 'the hash of a node does not match its parent' : undefined
    if (item.length === 17) {
      const digit = path[at] ?? ''
      add('branch', digit)
      if (mismatch !== undefined) return end(undefined, mismatch)
      const child: Item = item[Number.parseInt(digit, 16)] ?? '0x'
      at += 1
      if (child === '0x') return end(undefined)
      expected = child
      continue
    }
    const prefix: Item = item[0] ?? '0x'
    const content: Item = item[1] ?? '0x'
    const { digits, isLeaf } = readPrefix(prefix as Hex)
    add(isLeaf ? 'leaf' : 'extension', digits)
    if (mismatch !== undefined) return end(undefined, mismatch)
    if (!path.startsWith(digits, at)) return end(undefined)
    at += digits.length
    if (isLeaf) return end(content as Hex)
    expected = content
  }
}

/** An account in the state trie. */
export interface ProvenAccount {
  nonce: bigint
  balance: bigint
  storageHash: string
  codeHash: string
}

/** Decodes an account's RLP. */
export function readAccount(value: string): ProvenAccount {
  const [nonce, balance, storageHash, codeHash] = fromRlp(value as Hex, 'hex') as Hex[]
  return {
    nonce: toBigInt(nonce),
    balance: toBigInt(balance),
    storageHash: storageHash ?? '',
    codeHash: codeHash ?? '',
  }
}

/** Decodes a storage word's RLP. */
export function readWord(value: string): bigint {
  return toBigInt(fromRlp(value as Hex, 'hex') as Hex)
}

function toBigInt(value: Hex | undefined): bigint {
  return value === undefined || value === '0x' ? 0n : BigInt(value)
}

/** Decodes hex-prefix encoding (Yellow Paper, appendix C). */
function readPrefix(prefix: Hex): { digits: string; isLeaf: boolean } {
  const flag = Number.parseInt(prefix[2] ?? '0', 16)
  return { digits: prefix.slice(flag % 2 === 1 ? 3 : 4), isLeaf: flag >= 2 }
}
