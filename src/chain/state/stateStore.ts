import { bytesEqual } from '../../encoding/hex.js'
import type { Database } from '../../storage/database.js'
import { DataDirectoryError } from '../../storage/errors.js'
import { type Keyspace, decodeNumber, decodeOrdinal, encodeOrdinal } from '../../storage/keyspace.js'
import type { WriteBatch } from '../../storage/writeBatch.js'
import { StatePrunedError, StateUnknownError } from '../errors.js'
import type { RemoteState } from '../fork/overlay.js'
import type { HeaderFields } from '../types.js'
import { EMPTY_CODE_HASH, NO_BYTES } from './account.js'
import { type ByteCache, bytesKey } from './byteCache.js'
import type { HashedBytes } from './hashedBytes.js'
import { type NodeNumber, type NodeRecord, storedNode } from './nodeRecord.js'
import { type Preimages, stagePreimages } from './preimages.js'
import { type StateCaches, createStateCaches } from './stateCaches.js'
import type { TrieRoot } from './stateRoot.js'
import { TrieStateView } from './stateView.js'
import { EMPTY_ROOT, MissingNodeError, type NodeReader } from './trieNode.js'

/** A new state that is computed and not stored: what its trie needs beside what is stored. */
export interface StateCommitment {
  /** 32 bytes. */
  root: Uint8Array
  /** New trie nodes, children before their parents. */
  nodes: readonly NodeRecord[]
  /** New roots of the state and of storage, by the key of their hash. */
  roots: ReadonlyMap<string, TrieRoot>
  /** The numbers of stored nodes that new ones take the place of. */
  replaced: readonly NodeNumber[]
  /** New contract codes by the key of their hash. */
  codes: ReadonlyMap<string, HashedBytes>
  /** Addresses and slots that the state before did not have. */
  preimages: Preimages
}

/** The setting that holds the least number of a block whose state was not pruned; that of the first block never is. */
export const PRUNED_BELOW = 'pruned-below'

/** How a state store is made. */
export interface StateStoreOptions {
  database: Pick<Database, 'get' | 'takeNumbers'>
  keyspace: Pick<Keyspace, 'trieRoot' | 'trieNode' | 'code' | 'preimages' | 'setting'>
  /** What a fork reads where its tries hold nothing. */
  remote?: RemoteState | undefined
  /** Shared with other stores, or of its own. */
  caches?: StateCaches | undefined
}

const VIEWS_KEPT = 4
/** The most roots that are worth being looked through: the state's, both rings', and those of a few contracts. */
const LATEST_ROOTS = 8

/** The state tries and codes of one network: nodes are only added, so that every root stays readable. */
export class StateStore implements NodeReader {
  readonly remote: RemoteState | undefined
  readonly #database: StateStoreOptions['database']
  readonly #keyspace: StateStoreOptions['keyspace']
  /** The nodes of the state that was stored last: the next one replaces most of them. */
  #latest = new Map<NodeNumber, NodeRecord>()
  readonly #nodes: StateCaches['nodes']
  readonly #replacedNodes: StateCaches['nodes']
  readonly #codes: ByteCache
  readonly #views = new Map<string, TrieStateView>()
  /** The view that was asked for last, and with which array: calls on the latest block come with the head's own. */
  #latestView: { of: Uint8Array; view: TrieStateView } | undefined
  /** Those of the state that was stored last, on which the next one is mostly built. */
  #latestRoots: readonly TrieRoot[] = []
  readonly #aliases = new Map<string, Uint8Array>()

  constructor(options: StateStoreOptions) {
    const { database, keyspace, caches = createStateCaches() } = options
    this.remote = options.remote
    this.#database = database
    this.#keyspace = keyspace
    this.#nodes = caches.nodes
    this.#replacedNodes = caches.replacedNodes
    this.#codes = caches.codes
  }

  getRoot(hash: Uint8Array): NodeRecord {
    for (const { hash: known, record } of this.#latestRoots) {
      if (known === hash || (known[0] === hash[0] && bytesEqual(known, hash))) return record
    }
    const row = this.#database.get(this.#keyspace.trieRoot(hash))
    if (row === undefined) throw new MissingNodeError(hash.slice())
    return this.getNode(decodeOrdinal(row))
  }

  getNode(number: NodeNumber): NodeRecord {
    const cached = this.#latest.get(number) ?? this.#nodes.get(number) ?? this.#replacedNodes.get(number)
    if (cached !== undefined) return cached
    const row = this.#database.get(this.#keyspace.trieNode(number))
    if (row === undefined) throw new DataDirectoryError(`The trie node with the number ${number} is missing`)
    const node = storedNode(row, number)
    this.#nodes.set(number, node)
    return node
  }

  /** Whether a state root can be read. */
  hasRoot(root: Uint8Array): boolean {
    if (this.#aliases.has(bytesKey(root)) || bytesEqual(root, EMPTY_ROOT)) return true
    return this.#database.get(this.#keyspace.trieRoot(root)) !== undefined
  }

  /**
   * Makes sure that the state of a block, or one that controls made of it, can be read.
   *
   * @throws StatePrunedError or StateUnknownError
   */
  requireRoot(root: Uint8Array, { number }: Pick<HeaderFields, 'number'>): void {
    if (this.hasRoot(root)) return
    const bound = this.#database.get(this.#keyspace.setting(PRUNED_BELOW))
    if (bound !== undefined && number < decodeNumber(bound)) throw new StatePrunedError(root)
    throw new StateUnknownError(root)
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
    if (this.#latestView?.of === root) return this.#latestView.view
    const key = bytesKey(root)
    const known = this.#views.get(key)
    const view = known ?? new TrieStateView(this, this.#aliases.get(key) ?? root.slice())
    this.#views.delete(key)
    this.#views.set(key, view)
    if (this.#views.size > VIEWS_KEPT) {
      const [oldest] = this.#views.keys()
      if (oldest !== undefined) this.#views.delete(oldest)
    }
    this.#latestView = { of: root, view }
    return view
  }

  /** Adds the new nodes and codes of a state to a batch, which the caller writes together with what names the root. */
  stage(batch: WriteBatch, { nodes, roots, replaced, codes, preimages }: StateCommitment): void {
    stagePreimages(this.#keyspace, batch, preimages)
    const keys = this.#keyspace
    // A batch that fails leaves a gap: numbers are not used twice.
    let number = this.#database.takeNumbers(nodes.length)
    for (const node of nodes) {
      node.assign(number)
      batch.put(keys.trieNode(number++), node.bytes)
    }
    for (const { hash, record } of roots.values()) {
      batch.put(keys.trieRoot(hash), encodeOrdinal(record.assignedNumber))
    }
    batch.whenWritten(() => {
      this.#retire(replaced)
      for (const node of nodes) this.#keep(node)
      this.#latestRoots = roots.size <= LATEST_ROOTS ? [...roots.values()] : []
    })
    for (const [key, { hash, bytes }] of codes) {
      batch.put(this.#keyspace.code(hash), bytes)
      this.#codes.set(key, bytes)
    }
  }

  /** Parts the nodes that were stored last into those that have had their time and those that stay. */
  #retire(replaced: readonly NodeNumber[]): void {
    const latest = this.#latest
    this.#latest = new Map()
    for (const number of replaced) {
      const node = latest.get(number) ?? this.#nodes.take(number)
      latest.delete(number)
      if (node !== undefined) this.#replacedNodes.set(number, node)
    }
    for (const [number, node] of latest) {
      node.own()
      this.#nodes.set(number, node)
    }
  }

  #keep(node: NodeRecord): void {
    const number = node.settle()
    if (node.isReplaced) this.#replacedNodes.set(number, node)
    else this.#latest.set(number, node)
  }
}
