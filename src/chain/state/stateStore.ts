import { bytesEqual } from '../../encoding/hex.js'
import { type Awaitable, TimeSlice, whenReady } from '../../encoding/timeSlice.js'
import { type Database, WriteBatch } from '../../storage/database.js'
import { DataDirectoryError } from '../../storage/errors.js'
import { type Keyspace, decodeNumber, decodeOrdinal, encodeOrdinal } from '../../storage/keyspace.js'
import type { StoredBlock } from '../block/record.js'
import { keccak256 } from '../crypto.js'
import { StatePrunedError, StateUnknownError } from '../errors.js'
import { ABSENT_ACCOUNT, type RemoteState, accountOfRemote, isOverlay } from '../fork/overlay.js'
import { payloadOf } from '../rlp.js'
import type { AccountState, HeaderFields, StateView } from '../types.js'
import {
  type ByteCache,
  EMPTY_CODE_HASH,
  type HashedBytes,
  NO_BYTES,
  type StateCaches,
  addressKey,
  bytesKey,
  createStateCaches,
  decodeAccount,
  padTo32,
} from './account.js'
import { EMPTY_TRIE_ROOT, type NodeLink, type NodeNumber, type NodeRecord, storedNode } from './nodeRecord.js'
import type { TrieRoot } from './stateRoot.js'
import { MissingNodeError, type NodeReader, type RootReference, findInTrie } from './trieNode.js'

/** A new state that is computed but not stored: the difference to what is stored. */
export interface StateCommitment {
  /** 32 bytes. */
  root: Uint8Array
  /** New trie nodes, children before their parents. */
  nodes: readonly NodeRecord[]
  /** New state and storage roots, by the map key of their hash. */
  roots: ReadonlyMap<string, TrieRoot>
  /** Numbers of stored nodes that new ones replace. */
  replaced: readonly NodeNumber[]
  /** New contract codes, by the map key of their hash. */
  codes: ReadonlyMap<string, HashedBytes>
  /** New addresses and slots, by the map key of their hash. Tries have only hashes, and dumps show the originals. */
  preimages: ReadonlyMap<string, HashedBytes>
}

/** Setting that holds the lowest block number whose state was not pruned; the first block's never is. */
export const PRUNED_BELOW = 'pruned-below'

/** Options for a state store. */
export interface StateStoreOptions {
  database: Pick<Database, 'get' | 'reserveNumbers'>
  keyspace: Pick<Keyspace, 'trieRoot' | 'trieNode' | 'code' | 'preimage' | 'setting'>
  /** Remote state that a fork reads where its tries have no entry. */
  remote?: RemoteState | undefined
  /** Shared with other stores, or the store's own by default. */
  caches?: StateCaches | undefined
}

const VIEWS_KEPT = 4
/** Maximum number of roots worth scanning: the state's, both ring buffers', and those of a few contracts. */
const LATEST_ROOTS = 8

/** The state tries and codes of one network. Nodes are only added, so every root stays readable. */
export class StateStore implements NodeReader {
  readonly remote: RemoteState | undefined
  readonly #database: StateStoreOptions['database']
  readonly #keyspace: StateStoreOptions['keyspace']
  /** Nodes of the last stored state; the next state replaces most of them. */
  #latest = new Map<NodeNumber, NodeRecord>()
  readonly #nodes: StateCaches['nodes']
  readonly #replacedNodes: StateCaches['nodes']
  readonly #codes: ByteCache
  readonly #views = new Map<string, TrieStateView>()
  /** The last view requested, with the array that named it: calls on the latest block pass the head's own array. */
  #latestView: { of: Uint8Array; view: TrieStateView } | undefined
  /** Roots of the last stored state, on which the next one usually builds. */
  #latestRoots: readonly TrieRoot[] = []
  readonly #aliases = new Map<string, Uint8Array>()
  /** Lowest block number whose state was not pruned before this store was opened; the first block's never is. */
  readonly #prunedBelow: bigint

  constructor(options: StateStoreOptions) {
    const { database, keyspace, caches = createStateCaches() } = options
    this.remote = options.remote
    this.#database = database
    this.#keyspace = keyspace
    this.#nodes = caches.nodes
    this.#replacedNodes = caches.replacedNodes
    this.#codes = caches.codes
    const bound = database.get(keyspace.setting(PRUNED_BELOW))
    this.#prunedBelow = bound === undefined ? 0n : decodeNumber(bound)
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

  /** Whether a state root is readable. */
  hasRoot(root: Uint8Array): boolean {
    if (this.#aliases.has(bytesKey(root)) || bytesEqual(root, EMPTY_TRIE_ROOT)) return true
    return this.#database.get(this.#keyspace.trieRoot(root)) !== undefined
  }

  /**
   * Checks that a state of a block, possibly edited by controls, is readable.
   *
   * @throws StatePrunedError or StateUnknownError
   */
  requireRoot(root: Uint8Array, { number }: Pick<HeaderFields, 'number'>): void {
    if (this.hasRoot(root)) return
    throw number < this.#prunedBelow ? new StatePrunedError(root) : new StateUnknownError(root)
  }

  /**
   * Returns the state in the header of a block.
   *
   * @throws StatePrunedError or StateUnknownError if it is not readable
   */
  viewOf({ header, stateNode }: Pick<StoredBlock, 'header' | 'stateNode'>): TrieStateView {
    const { number, stateRoot } = header
    if (stateNode !== undefined && number >= this.#prunedBelow) return this.viewAt(stateRoot, stateNode)
    this.requireRoot(stateRoot, header)
    return this.viewAt(stateRoot)
  }

  /** Returns the code with a 32-byte hash, or undefined if it is not stored. */
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
   * Makes an unstored root an alias of a stored one: the state root of the fork block stands for the state that the
   * fork starts with.
   */
  alias(root: Uint8Array, stored: Uint8Array): void {
    this.#aliases.set(bytesKey(root), stored.slice())
  }

  /**
   * Returns the state under a root. The last few views are shared, with everything they have cached.
   *
   * @param node - the number of the root's node, if known, which saves its look-up
   */
  viewAt(root: Uint8Array, node?: NodeNumber): TrieStateView {
    if (this.#latestView?.of === root) return this.#latestView.view
    const key = bytesKey(root)
    const known = this.#views.get(key)
    const view = known ?? new TrieStateView(this, this.#aliases.get(key) ?? root.slice(), node)
    this.#views.delete(key)
    this.#views.set(key, view)
    if (this.#views.size > VIEWS_KEPT) {
      const [oldest] = this.#views.keys()
      if (oldest !== undefined) this.#views.delete(oldest)
    }
    this.#latestView = { of: root, view }
    return view
  }

  /**
   * Adds the new nodes and codes of a state to a batch, which the caller writes together with whatever names the root.
   *
   * @returns the number of the root's node; undefined if the root is not new
   */
  stage(
    batch: WriteBatch,
    { root, nodes, roots, replaced, codes, preimages }: StateCommitment,
  ): NodeNumber | undefined {
    const keys = this.#keyspace
    for (const { hash, bytes } of preimages.values()) batch.put(keys.preimage(hash), bytes)
    // A failed batch leaves a gap, because numbers are not reused.
    let number = this.#database.reserveNumbers(nodes.length)
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
      batch.put(keys.code(hash), bytes)
      this.#codes.set(key, bytes)
    }
    return roots.get(bytesKey(root))?.record.assignedNumber
  }

  /** Splits the nodes of the last stored state into replaced ones and those that stay. */
  #retire(replaced: readonly NodeNumber[]): void {
    for (const number of replaced) this.#retireNode(number)
    const latest = this.#latest
    this.#latest = new Map()
    for (const [number, node] of latest) this.#cache(number, node)
  }

  #retireNode(number: NodeNumber): void {
    const node = this.#latest.get(number) ?? this.#nodes.take(number)
    this.#latest.delete(number)
    if (node !== undefined) this.#replacedNodes.set(number, node)
  }

  /**
   * Moves replaced nodes, and the others of the last write, to their caches. The latter then move to memory of their
   * own, and while much memory is in use, V8 marks part of the heap with each such allocation, for up to milliseconds.
   */
  async settle(slice: TimeSlice, replaced: readonly NodeNumber[] = []): Promise<void> {
    for (const number of replaced) {
      this.#retireNode(number)
      const pause = slice.pause()
      if (pause !== undefined) await pause
    }
    const latest = this.#latest
    this.#latest = new Map()
    for (const [number, node] of latest) {
      this.#cache(number, node)
      const pause = slice.pause()
      if (pause !== undefined) await pause
    }
  }

  #cache(number: NodeNumber, node: NodeRecord): void {
    node.own()
    this.#nodes.set(number, node)
  }

  #keep(node: NodeRecord): void {
    const number = node.settle()
    if (node.isReplaced) this.#replacedNodes.set(number, node)
    else this.#latest.set(number, node)
  }
}

/** Maximum number of trie nodes, and of addresses and slots, in one write. */
const ROWS_AT_ONCE = 1024
/** Bytes of code that fill a write. */
const CODE_BYTES_AT_ONCE = 256 * 1024
/** What a code costs beside its bytes, in bytes. */
const CODE_OVERHEAD = 256

/**
 * Stores most of a large state in small writes, yielding in between, so that the final write that makes it effective is
 * small too. Until its root is stored, the rest has no effect.
 *
 * @returns what is left, to be stored together with whatever names the root
 * @throws StorageWriteError if the disk refuses a write
 */
export async function commitInBatches(
  { states, database }: { states: StateStore; database: Pick<Database, 'write'> },
  commitment: StateCommitment,
): Promise<StateCommitment> {
  if (fitsOneWrite(commitment)) return commitment
  const slice = new TimeSlice()
  const none = new Map<string, never>()
  const nothing = { ...commitment, nodes: [], roots: none, replaced: [], codes: none, preimages: none }
  const store = async (part: Partial<StateCommitment>): Promise<void> => {
    const batch = new WriteBatch()
    states.stage(batch, { ...nothing, ...part })
    database.write(batch)
    await states.settle(slice)
    await slice.pause()
  }
  await states.settle(slice, commitment.replaced)
  const nodes = await allButLast(
    groupsOf(commitment.nodes, ROWS_AT_ONCE, () => 1),
    (group) => store({ nodes: group }),
  )
  const codes = await allButLast(
    groupsOf(commitment.codes, CODE_BYTES_AT_ONCE, ([, { bytes }]) => bytes.length + CODE_OVERHEAD),
    (group) => store({ codes: new Map(group) }),
  )
  const preimages = await allButLast(
    groupsOf(commitment.preimages, ROWS_AT_ONCE, () => 1),
    (group) => store({ preimages: new Map(group) }),
  )
  return {
    ...commitment,
    replaced: [],
    nodes: nodes ?? [],
    codes: new Map(codes),
    preimages: new Map(preimages),
  }
}

/** Whether a state is small enough for one write, as most are; it is then not copied. */
function fitsOneWrite({ nodes, codes, preimages }: StateCommitment): boolean {
  let codeBytes = codes.size * CODE_OVERHEAD
  for (const { bytes } of codes.values()) codeBytes += bytes.length
  return nodes.length <= ROWS_AT_ONCE && codeBytes <= CODE_BYTES_AT_ONCE && preimages.size <= ROWS_AT_ONCE
}

/** Groups consecutive items; each group ends with the item that fills it. */
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

/** What a state view reads from. */
export interface StateReader extends NodeReader {
  getCode(hash: Uint8Array): Uint8Array | undefined
  /** Remote state that a fork reads where its tries have no entry. */
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
 * The state under one root of the stored tries. Reads are synchronous, except where a fork asks its remote node.
 *
 * Caches up to a number of entries, then clears them all at once.
 */
export class TrieStateView implements StateView {
  readonly root: Uint8Array
  /** Leads to the node of the root, if it is known where that is. */
  readonly rootLink: NodeLink | undefined
  readonly #reader: StateReader
  readonly #accounts = new Map<string, AccountState | undefined>()
  /** Links to the storage roots of cached accounts. */
  readonly #storageLinks = new Map<string, NodeLink>()
  readonly #slots = new Map<string, Uint8Array>()

  constructor(reader: StateReader, root: Uint8Array, rootLink?: NodeLink) {
    this.#reader = reader
    this.root = root
    this.rootLink = rootLink
  }

  /** @throws MissingNodeError if the root is not stored */
  getAccount(address: Uint8Array): Awaitable<AccountState | undefined> {
    const key = addressKey(address)
    if (this.#accounts.has(key)) return this.#accounts.get(key)
    return whenReady(this.#readAccount(address, key), (account) => {
      this.know(key, account)
      return account
    })
  }

  /** Caches the account of an address, given as its map key. */
  know(key: string, account: AccountState | undefined): void {
    if (this.#accounts.size >= CACHED_ENTRIES) {
      this.#accounts.clear()
      this.#storageLinks.clear()
    }
    this.#accounts.set(key, account)
  }

  #readAccount(address: Uint8Array, key: string): Awaitable<AccountState | undefined> {
    const found = findInTrie(this.#reader, { hash: this.root, link: this.rootLink }, keccak256(address))
    const { remote } = this.#reader
    if (found !== undefined) {
      const { value: rlp, link } = found
      if (link !== undefined) this.#storageLinks.set(key, link)
      return remote !== undefined && bytesEqual(rlp, ABSENT_ACCOUNT) ? undefined : decodeAccount(rlp)
    }
    return remote && whenReady(remote.getAccount(address), (account) => account && accountOfRemote(account))
  }

  /** @throws MissingNodeError or MissingCodeError if the root or the code is not stored */
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

  /** @throws MissingNodeError if the root is not stored */
  getStorage(address: Uint8Array, slot: Uint8Array): Awaitable<Uint8Array> {
    return whenReady(this.getAccount(address), (account) => {
      if (account === undefined || bytesEqual(account.storageRoot, EMPTY_TRIE_ROOT)) return ZERO_SLOT
      const owner = addressKey(address)
      const key = owner + bytesKey(slot)
      const cached = this.#slots.get(key)
      if (cached !== undefined) return cached
      const storage = { hash: account.storageRoot, link: this.#storageLinks.get(owner) }
      return whenReady(this.#readSlot(address, storage, slot), (value) => {
        if (this.#slots.size >= CACHED_ENTRIES) this.#slots.clear()
        this.#slots.set(key, value)
        return value
      })
    })
  }

  #readSlot(address: Uint8Array, storage: RootReference, slot: Uint8Array): Awaitable<Uint8Array> {
    const found = findInTrie(this.#reader, storage, keccak256(slot))
    if (found !== undefined) return padTo32(payloadOf(found.value).slice())
    const { remote } = this.#reader
    return remote !== undefined && isOverlay(this.#reader, storage.hash)
      ? remote.getStorage(address, slot)
      : ZERO_SLOT
  }
}
