import { bytesEqual } from '../../encoding/hex.js'
import type { RemoteState } from '../fork/remoteState.js'
import { EMPTY_CODE_HASH, NO_BYTES } from './account.js'
import { bytesKey, type ByteCache } from './byteCache.js'
import { createStateCaches, type StateCaches } from './stateCaches.js'
import { stagePreimages, type Preimages } from './preimages.js'
import { TrieStateView } from './stateView.js'
import { StoredNodes } from './storedNodes.js'
import { EMPTY_ROOT, MissingNodeError } from './trieNode.js'
import type { Database } from '../../storage/database.js'
import type { Keyspace } from '../../storage/keyspace.js'
import type { WriteBatch } from '../../storage/writeBatch.js'
import type { NodeReader } from './trieNode.js'
import type { HashedBytes } from './hashedBytes.js'

/** A new state that is computed and not stored: what its trie needs beside what is stored. */
export interface StateCommitment {
  /** 32 bytes. */
  root: Uint8Array
  /** New trie nodes by the key of their hash. */
  nodes: ReadonlyMap<string, HashedBytes>
  /** The keys of the hashes of nodes that the new ones take the place of. */
  replaced: Iterable<string>
  /** New contract codes by the key of their hash. */
  codes: ReadonlyMap<string, HashedBytes>
  /** Addresses and slots that the state before did not have. */
  preimages: Preimages
}

/** How a state store is made. */
export interface StateStoreOptions {
  database: Pick<Database, 'get' | 'getBulkWithBefore'>
  keyspace: Pick<Keyspace, 'trieNode' | 'code' | 'preimages'>
  /** What a fork reads where its tries hold nothing. */
  remote?: RemoteState | undefined
  /** Shared with other stores, or of its own. */
  caches?: StateCaches | undefined
}

const VIEWS_KEPT = 4

/** The state tries and codes of one network: nodes are only added, so that every root stays readable. */
export class StateStore implements NodeReader {
  readonly remote: RemoteState | undefined
  readonly #database: StateStoreOptions['database']
  readonly #keyspace: StateStoreOptions['keyspace']
  readonly #stored: StoredNodes
  readonly #nodes: ByteCache
  readonly #replacedNodes: ByteCache
  readonly #codes: ByteCache
  readonly #views = new Map<string, TrieStateView>()
  readonly #aliases = new Map<string, Uint8Array>()

  constructor(options: StateStoreOptions) {
    const { database, keyspace, caches = createStateCaches() } = options
    this.remote = options.remote
    this.#database = database
    this.#keyspace = keyspace
    this.#stored = new StoredNodes(options)
    this.#nodes = caches.nodes
    this.#replacedNodes = caches.replacedNodes
    this.#codes = caches.codes
  }

  getNode(hash: Uint8Array): Uint8Array {
    const key = bytesKey(hash)
    const cached = this.#nodes.get(key) ?? this.#replacedNodes.get(key)
    if (cached !== undefined) return cached
    const stored = this.#stored.read(hash)
    if (stored === undefined) throw new MissingNodeError(hash.slice())
    this.#nodes.set(key, stored)
    return stored
  }

  /** Whether a state root can be read. */
  hasRoot(root: Uint8Array): boolean {
    if (this.#aliases.has(bytesKey(root))) return true
    if (bytesEqual(root, EMPTY_ROOT) || this.#nodes.get(bytesKey(root)) !== undefined) return true
    return this.#database.get(this.#keyspace.trieNode(root)) !== undefined
  }

  /** The code with this 32-byte hash, or undefined if none is stored. */
  getCode(hash: Uint8Array): Uint8Array | undefined {
    if (bytesEqual(hash, EMPTY_CODE_HASH)) return NO_BYTES
    const key = bytesKey(hash)
    const cached = this.#codes.get(key)
    if (cached !== undefined) return cached
    const stored = this.#database.get(this.#keyspace.code(hash))
    if (stored !== undefined) this.#codes.set(key, stored)
    return stored
  }

  /**
   * Makes a root that is not stored another name of one that is: the state root of the block that a fork begins with
   * names the state that the fork begins with.
   */
  alias(root: Uint8Array, stored: Uint8Array): void {
    this.#aliases.set(bytesKey(root), stored.slice())
  }

  /** The state under a root. The latest few views are shared, with what they have read. */
  viewAt(root: Uint8Array): TrieStateView {
    const key = bytesKey(root)
    const known = this.#views.get(key)
    const view = known ?? new TrieStateView(this, this.#aliases.get(key) ?? root.slice())
    this.#views.delete(key)
    this.#views.set(key, view)
    if (this.#views.size > VIEWS_KEPT) {
      const [oldest] = this.#views.keys()
      if (oldest !== undefined) this.#views.delete(oldest)
    }
    return view
  }

  /** Adds the new nodes and codes of a state to a batch, which the caller writes together with what names the root. */
  stage(batch: WriteBatch, { nodes, replaced, codes, preimages }: StateCommitment): void {
    stagePreimages(this.#keyspace, batch, preimages)
    for (const key of replaced) {
      const bytes = this.#nodes.take(key)
      if (bytes !== undefined) this.#replacedNodes.set(key, bytes)
    }
    for (const [key, { hash, bytes }] of nodes) {
      batch.putBulk(this.#keyspace.trieNode(hash), bytes)
      this.#nodes.set(key, bytes)
    }
    for (const [key, { hash, bytes }] of codes) {
      batch.put(this.#keyspace.code(hash), bytes)
      this.#codes.set(key, bytes)
    }
  }
}
