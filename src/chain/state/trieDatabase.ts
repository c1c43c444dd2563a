import type { DB } from '@ethereumjs/util'
import { bytesToPlainHex, hexToBytes } from '../../encoding/hex.js'
import { keccak256 } from '../crypto.js'
import { itemsOf, payloadOf } from '../rlp.js'
import { HASH_HEAD, type NodeNumber, isLeafPath } from './nodeRecord.js'
import type { NodeReader } from './trieNode.js'

/** A stored node whose hash differs from the one in its parent or root row. */
export class NodeHashError extends Error {
  override readonly name = 'NodeHashError'
  constructor(expected: string, actual: string) {
    super(`the node with the hash 0x${expected} has the hash 0x${actual}`)
  }
}

/**
 * The stored tries as a database for a `MerklePatriciaTrie` of @ethereumjs/mpt, which can open any state or storage
 * root:
 *
 * ```ts
 * const trie = new MerklePatriciaTrie({
 *   db: new TrieDatabase(states), root, useKeyHashing: true, valueEncoding: ValueEncoding.Bytes,
 * })
 * ```
 *
 * The trie asks for nodes by hash. Roots have rows by hash; any other node's number comes from its parent, which a trie
 * always reads first. Read-only. Hashes are verified, so a trie reads exactly what its root commits to.
 */
export class TrieDatabase implements DB<string, Uint8Array> {
  readonly #reader: NodeReader
  /** Numbers of the children of all nodes read so far, by hash in hexadecimal. May be cleared during a long walk. */
  readonly numbers = new Map<string, NodeNumber>()

  constructor(reader: NodeReader) {
    this.#reader = reader
  }

  /**
   * Returns the RLP of a node by its unprefixed hexadecimal hash.
   *
   * @throws MissingNodeError if neither a root nor any node read so far leads to it; NodeHashError if the stored node
   *   has another hash
   */
  async get(hash: string): Promise<Uint8Array> {
    const number = this.numbers.get(hash)
    const node = number === undefined ? this.#reader.getRoot(hexToBytes(hash)) : this.#reader.getNode(number)
    const actual = bytesToPlainHex(keccak256(node.rlp))
    if (actual !== hash) throw new NodeHashError(hash, actual)
    namedChildren(node.rlp).forEach((item, index) => {
      this.numbers.set(bytesToPlainHex(payloadOf(item)), node.linkAt(index) as NodeNumber)
    })
    return node.rlp
  }

  put(): Promise<void> {
    throw new Error('stored tries are not written through @ethereumjs/mpt')
  }

  del(): Promise<void> {
    return this.put()
  }

  batch(): Promise<void> {
    return this.put()
  }

  async open(): Promise<void> {}

  shallowCopy(): TrieDatabase {
    return new TrieDatabase(this.#reader)
  }
}

/** Returns the items of a node that reference children by hash, in the order of the links after its RLP. */
function namedChildren(rlp: Uint8Array): Uint8Array[] {
  const items = itemsOf(rlp)
  const children =
    items.length === 17 ? items.slice(0, 16) : isLeafPath(payloadOf(items[0]!)) ? [] : items.slice(1)
  return children.filter((item) => item[0] === HASH_HEAD)
}
