import { bytesEqual } from '../../encoding/hex.js'
import { type Awaitable, TimeSlice, whenReady } from '../../encoding/timeSlice.js'
import { type Database, WriteBatch } from '../../storage/database.js'
import { DataDirectoryError } from '../../storage/errors.js'
import { type Keyspace, decodeNumber, decodeOrdinal, encodeOrdinal } from '../../storage/keyspace.js'
import { keccak256 } from '../crypto.js'
import { StatePrunedError, StateUnknownError } from '../errors.js'
import { ABSENT_ACCOUNT, type RemoteState, accountOfRemote, isOverlay } from '../fork/overlay.js'
import { payloadOf } from '../rlp.js'
import type { AccountState, HeaderFields, StateView } from '../types.js'
import {
  ByteCache,
  EMPTY_CODE_HASH,
  type HashedBytes,
  NO_BYTES,
  addressKey,
  bytesKey,
  decodeAccount,
  padTo32,
} from './account.js'
import { EMPTY_TRIE_ROOT, type NodeNumber, type NodeRecord, storedNode } from './nodeRecord.js'
import { Preimages, type TrieRoot, stagePreimages } from './stateRoot.js'
import { MissingNodeError, type NodeReader, readTrie } from './trieNode.js'

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
    if (this.#aliases.has(bytesKey(root)) || bytesEqual(root, EMPTY_TRIE_ROOT)) return true
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
    batch.onWritten(() => {
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

/** Trie nodes that were read or made, by their numbers, and codes by their 32-byte hash. */
export interface StateCaches {
  nodes: ByteCache<NodeNumber, NodeRecord>
  /**
   * Nodes that a later state has others in the place of. Each block makes a dozen, which would crowd out what all states
   * to come are read from; those of the last dozen blocks are kept for a revert, and what lies further back is read from
   * LevelDB. More of them would outlive V8's young generation, whose collections copy what is alive.
   */
  replacedNodes: ByteCache<NodeNumber, NodeRecord>
  codes: ByteCache
}

/** What state caches take where nothing else is said. */
export const DEFAULT_CACHE_BYTES: number = 32 * 1024 * 1024

/** The shares of the memory that codes and replaced nodes have; the other nodes have the rest. */
const CODE_SHARE = 1 / 4
const REPLACED_SHARE = 1 / 128

/**
 * Caches within a limit of memory. All chains of one database may share them: the limit then holds for all of them
 * together.
 */
export function createStateCaches(limitBytes: number = DEFAULT_CACHE_BYTES): StateCaches {
  return {
    nodes: new ByteCache(limitBytes * (1 - CODE_SHARE - REPLACED_SHARE)),
    replacedNodes: new ByteCache(limitBytes * REPLACED_SHARE),
    codes: new ByteCache(limitBytes * CODE_SHARE),
  }
}

/** Trie nodes that are written at once, at most. */
const NODES_AT_ONCE = 1024
/** Addresses and slots. */
const KEYS_AT_ONCE = 1024
/** Bytes of codes, with which a write is full. */
const CODE_BYTES_AT_ONCE = 256 * 1024

/**
 * Stores most of a large state in small writes with turns for other work between them, so that the one that makes it count
 * is small too. What is stored of a state counts for nothing before its root is.
 *
 * @returns what is left, to be stored with what names the root
 * @throws StorageWriteError if the disk refuses
 */
export async function commitInBatches(
  { states, database }: { states: StateStore; database: Pick<Database, 'write'> },
  commitment: StateCommitment,
): Promise<StateCommitment> {
  if (fitsOneWrite(commitment)) return commitment
  const slice = new TimeSlice()
  const nothing = { ...commitment, nodes: [], roots: new Map(), replaced: [], codes: new Map() }
  const store = async (part: Partial<StateCommitment>): Promise<void> => {
    const batch = new WriteBatch()
    states.stage(batch, { ...nothing, preimages: new Preimages(), ...part })
    database.write(batch)
    await slice.pause()
  }
  const nodes = await allButLast(
    groupsOf(commitment.nodes, NODES_AT_ONCE, () => 1),
    (group) => store({ nodes: group }),
  )
  const codes = await allButLast(
    groupsOf(commitment.codes, CODE_BYTES_AT_ONCE, ([, { bytes }]) => bytes.length),
    (group) => store({ codes: new Map(group) }),
  )
  const preimages = await allButLast(commitment.preimages.inParts(KEYS_AT_ONCE), (part) =>
    store({ preimages: part }),
  )
  return {
    ...commitment,
    nodes: nodes ?? [],
    codes: new Map(codes),
    preimages: preimages ?? new Preimages(),
  }
}

/** As most do: of a small block nothing is copied. */
function fitsOneWrite({ nodes, codes, preimages }: StateCommitment): boolean {
  let codeBytes = 0
  for (const { bytes } of codes.values()) codeBytes += bytes.length
  return nodes.length <= NODES_AT_ONCE && codeBytes <= CODE_BYTES_AT_ONCE && preimages.count <= KEYS_AT_ONCE
}

/** Lists of items that follow each other; each ends with the item that fills it. */
function* groupsOf<T>(items: Iterable<T>, most: number, sizeOf: (item: T) => number): Iterable<T[]> {
  let group: T[] = []
  let size = 0
  for (const item of items) {
    group.push(item)
    size += sizeOf(item)
    if (size < most) continue
    yield group
    group = []
    size = 0
  }
  if (group.length > 0) yield group
}

async function allButLast<T>(
  groups: Iterable<T>,
  store: (group: T) => Promise<void>,
): Promise<T | undefined> {
  let last: T | undefined
  for (const group of groups) {
    if (last !== undefined) await store(last)
    last = group
  }
  return last
}

/** What a view reads from. */
export interface StateReader extends NodeReader {
  getCode(hash: Uint8Array): Uint8Array | undefined
  /** What a fork reads where its tries hold nothing. */
  readonly remote?: RemoteState | undefined
}

/** An account refers to code that is not stored: the data is damaged. */
export class MissingCodeError extends Error {
  override readonly name = 'MissingCodeError'
  constructor(hash: Uint8Array) {
    super(`Missing code ${Buffer.from(hash).toString('hex')}`)
  }
}

const CACHED_ENTRIES = 4096
const ZERO_SLOT: Uint8Array = new Uint8Array(32)

/**
 * The state under one root of the stored tries. Everything is at hand, and nothing returns a promise, but for what a fork
 * must ask its remote node.
 *
 * What was read is remembered up to a number of entries, then forgotten at once.
 */
export class TrieStateView implements StateView {
  readonly root: Uint8Array
  readonly #reader: StateReader
  readonly #accounts = new Map<string, AccountState | undefined>()
  readonly #slots = new Map<string, Uint8Array>()

  constructor(reader: StateReader, root: Uint8Array) {
    this.#reader = reader
    this.root = root
  }

  /** @throws MissingNodeError if the root is not stored. */
  getAccount(address: Uint8Array): Awaitable<AccountState | undefined> {
    const key = addressKey(address)
    if (this.#accounts.has(key)) return this.#accounts.get(key)
    return whenReady(this.#readAccount(address), (account) => {
      this.know(key, account)
      return account
    })
  }

  /** Takes note of what a read of an account would give, by the map key of its address. */
  know(key: string, account: AccountState | undefined): void {
    if (this.#accounts.size >= CACHED_ENTRIES) this.#accounts.clear()
    this.#accounts.set(key, account)
  }

  #readAccount(address: Uint8Array): Awaitable<AccountState | undefined> {
    const rlp = readTrie(this.#reader, this.root, keccak256(address))
    const { remote } = this.#reader
    if (rlp !== undefined) {
      return remote !== undefined && bytesEqual(rlp, ABSENT_ACCOUNT) ? undefined : decodeAccount(rlp)
    }
    return remote && whenReady(remote.getAccount(address), (account) => account && accountOfRemote(account))
  }

  /** @throws MissingNodeError or MissingCodeError if the root or the code is not stored. */
  getCode(address: Uint8Array): Awaitable<Uint8Array> {
    return whenReady(this.getAccount(address), (account) => {
      if (account === undefined || account.codeHash === EMPTY_CODE_HASH) return NO_BYTES
      return this.#reader.getCode(account.codeHash) ?? this.#remoteCode(address, account.codeHash)
    })
  }

  #remoteCode(address: Uint8Array, hash: Uint8Array): Awaitable<Uint8Array> {
    return whenReady(this.#reader.remote?.getAccount(address), (account) => {
      if (account === undefined || !bytesEqual(keccak256(account.code), hash))
        throw new MissingCodeError(hash)
      return account.code
    })
  }

  /** @throws MissingNodeError if the root is not stored. */
  getStorage(address: Uint8Array, slot: Uint8Array): Awaitable<Uint8Array> {
    return whenReady(this.getAccount(address), (account) => {
      if (account === undefined || bytesEqual(account.storageRoot, EMPTY_TRIE_ROOT)) return ZERO_SLOT
      const key = addressKey(address) + bytesKey(slot)
      const cached = this.#slots.get(key)
      if (cached !== undefined) return cached
      return whenReady(this.#readSlot(address, account.storageRoot, slot), (value) => {
        if (this.#slots.size >= CACHED_ENTRIES) this.#slots.clear()
        this.#slots.set(key, value)
        return value
      })
    })
  }

  #readSlot(address: Uint8Array, storageRoot: Uint8Array, slot: Uint8Array): Awaitable<Uint8Array> {
    const item = readTrie(this.#reader, storageRoot, keccak256(slot))
    if (item !== undefined) return padTo32(payloadOf(item).slice())
    const { remote } = this.#reader
    return remote !== undefined && isOverlay(this.#reader, storageRoot)
      ? remote.getStorage(address, slot)
      : ZERO_SLOT
  }
}
