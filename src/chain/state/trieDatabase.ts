import type { DB } from '@ethereumjs/util'
import { bytesToPlainHex, hexToBytes } from '../../encoding/hex.js'
import { keccak256 } from '../crypto.js'
import { itemsOf, payloadOf } from '../rlp.js'
import { HASH_HEAD, type NodeNumber, isLeafPath } from './nodeRecord.js'
import type { NodeReader } from './trieNode.js'

/** A stored node does not have the hash by which its parent, or the row of its root, names it. */
export class NodeHashError extends Error {
  override readonly name = 'NodeHashError'
  constructor(expected: string, actual: string) {
    super(`the node with the hash 0x${expected} has the hash 0x${actual}`)
  }
}

/**
 * The stored tries as the database of a `MerklePatriciaTrie` of @ethereumjs/mpt, which opens any state or storage root:
 *
 * ```ts
 * const trie = new MerklePatriciaTrie({
 *   db: new TrieDatabase(states), root, useKeyHashing: true, valueEncoding: ValueEncoding.Bytes,
 * })
 * ```
 *
 * The trie asks for nodes by their hashes. Roots have rows by hash; the number of any other node comes with its parent,
 * which a trie always reads first. It is read-only. Hashes are checked: what a trie reads is what its root names.
 */
export class TrieDatabase implements DB<string, Uint8Array> {
  readonly #reader: NodeReader
  /** The numbers of the children of all nodes that were read, by their hashes in hexadecimal. A long walk may clear it. */
  readonly numbers = new Map<string, NodeNumber>()

  constructor(reader: NodeReader) {
    this.#reader = reader
  }

  /**
   * The RLP of a node by its hash in hexadecimal, without a prefix.
   *
   * @throws MissingNodeError if no root and no node that was read leads to it, NodeHashError if it is another node.
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

  async open(): Promise<void> {
    // What the reader reads from is open.
  }

  shallowCopy(): TrieDatabase {
    return new TrieDatabase(this.#reader)
  }
}

/** The items of a node that name children by their hashes, in the order of the links behind its RLP. */
function namedChildren(rlp: Uint8Array): Uint8Array[] {
  const items = itemsOf(rlp)
  const children =
    items.length === 17 ? items.slice(0, 16) : isLeafPath(payloadOf(items[0]!)) ? [] : items.slice(1)
  return children.filter((item) => item[0] === HASH_HEAD)
}
