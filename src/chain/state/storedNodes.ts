import { bytesEqual } from '../../encoding/hex.js'
import type { Database } from '../../storage/database.js'
import type { Keyspace } from '../../storage/keyspace.js'
import { keccak256 } from '../keccak.js'
import { NO_BYTES } from './account.js'

/** What is read before a node: some three nodes further down on a path. */
const LOOK_BACK = 2048
/** Nodes that are stored have at least as many bytes as their hash; a branch without value has at most 532. */
const SHORTEST_NODE = 32
const LONGEST_NODE = 600

/** Where stored nodes are found. */
export interface StoredNodesOptions {
  database: Pick<Database, 'getBulkWithBefore'>
  keyspace: Pick<Keyspace, 'trieNode'>
}

/**
 * Trie nodes as they lie in the record file.
 *
 * A commit writes children before their parent, so the node that a path goes on to often ends where its parent begins. It
 * comes with the parent's read, and its hash tells whether it is the one: a look-up in the key-value store costs some
 * five times as much, and more the longer the chain is.
 */
export class StoredNodes {
  readonly #database: StoredNodesOptions['database']
  readonly #keyspace: StoredNodesOptions['keyspace']
  /** What lay before the node that was read last; another store of the database may have overwritten it since. */
  #before: Uint8Array = NO_BYTES

  constructor({ database, keyspace }: StoredNodesOptions) {
    this.#database = database
    this.#keyspace = keyspace
  }

  /** The node with this 32-byte hash, in memory of its own, or undefined if none is stored. */
  read(hash: Uint8Array): Uint8Array | undefined {
    return this.#readBefore(hash) ?? this.#lookUp(hash)
  }

  #lookUp(hash: Uint8Array): Uint8Array | undefined {
    const found = this.#database.getBulkWithBefore(this.#keyspace.trieNode(hash), LOOK_BACK)
    if (found === undefined) return undefined
    this.#before = found.before
    return found.value
  }

  /** The node that ends where the last one begins, if it has this hash. */
  #readBefore(hash: Uint8Array): Uint8Array | undefined {
    const before = this.#before
    const end = before.length
    for (let start = end - SHORTEST_NODE; start >= 0 && start > end - LONGEST_NODE; start--) {
      if (!isListOf(before, start, end - start)) continue
      const node = before.slice(start)
      if (!bytesEqual(keccak256(node), hash)) continue
      this.#before = before.subarray(0, start)
      return node
    }
    return undefined
  }
}

/** Whether the head of an RLP list of so many bytes stands at a place. */
function isListOf(bytes: Uint8Array, start: number, length: number): boolean {
  const first = bytes[start]
  if (length <= 56) return first === 0xc0 + length - 1
  if (length <= 257) return first === 0xf8 && bytes[start + 1] === length - 2
  return (
    first === 0xf9 && bytes[start + 1] === (length - 3) >>> 8 && bytes[start + 2] === ((length - 3) & 0xff)
  )
}
