import { type Awaitable, type Steps, whenReady } from '../../encoding/timeSlice.js'
import { bytesEqual } from '../../encoding/hex.js'
import { sortInSteps } from '../../encoding/sorting.js'
import { keccak256 } from '../crypto.js'
import { encodeString } from '../rlp.js'
import type { AccountState, StateView } from '../types.js'
import {
  type AccountEntry,
  EMPTY_RECORD,
  NO_BYTES,
  bytesKey,
  decodeAccount,
  encodeAccount,
} from './account.js'
import type { WorkingStore } from './executionState.js'
import { EMPTY_TRIE_ROOT, type NodeNumber, type NodeRecord } from './nodeRecord.js'
import type { TrieStateView } from './stateStore.js'
import { type NodeReader, type RootReference, findInTrie } from './trieNode.js'
import { type NodeCollector, type TrieChange, updateTrie } from './updateTrie.js'
import { WorkingState } from './workingState.js'

/** Changes applied to a trie between two yields. */
const CHANGES_AT_ONCE = 256
/** Stands for any account: nodes depend on whether there is one, not on what it holds. */
const SOME_ACCOUNT = encodeAccount(EMPTY_RECORD, EMPTY_TRIE_ROOT)

/** An account that was read, and the slots that were read of its storage. */
interface AccountRead {
  /** 20 bytes. */
  readonly address: Uint8Array
  /** 32 bytes each. */
  readonly slots: Uint8Array[]
}

/**
 * A state that remembers what was read of the one it started from: what the same execution needs without that state
 * (geth: core/state/statedb.go).
 */
export class WitnessState extends WorkingState {
  /** The codes that were run or looked at, by the map keys of their bytes. */
  readonly codes = new Map<string, Uint8Array>()
  readonly #reads: RecordingView

  constructor(base: TrieStateView, store: WorkingStore) {
    const reads = new RecordingView(base)
    super({ base: reads, store })
    this.#reads = reads
  }

  override readCode(address: Uint8Array): Awaitable<Uint8Array> {
    return whenReady(super.readCode(address), (code) => {
      if (code.length > 0) this.codes.set(bytesKey(code), code)
      return code
    })
  }

  /** Also reads the code and the slots, as the code would that is not run here. */
  override async overwriteStorage(
    address: Uint8Array,
    slots: readonly { key: Uint8Array; value: Uint8Array }[],
  ): Promise<void> {
    await this.readCode(address)
    for (const { key, value } of slots) await this.writeStorage(address, key, value)
  }

  /**
   * Visits the nodes towards everything that was read, and those that a deletion needs besides: where a branch keeps a
   * single child, that child becomes part of another node.
   */
  *visitNodes(nodes: VisitedNodes): Steps<void> {
    const { base, reads } = this.#reads
    const root = { hash: base.root, link: base.rootLink }
    if (!bytesEqual(base.root, EMPTY_TRIE_ROOT)) nodes.getRoot(base.root)
    const storages = new Map<string, RootReference>()
    for (const [name, { address, slots }] of reads) {
      const found = findInTrie(nodes, root, keccak256(address))
      yield
      if (found === undefined || slots.length === 0) continue
      const storage = { hash: decodeAccount(found.value).storageRoot, link: found.link }
      storages.set(name, storage)
      for (const slot of slots) {
        findInTrie(nodes, storage, keccak256(slot))
        yield
      }
    }
    const changes: TrieChange[] = []
    for (const entry of this.state.touched) {
      const storage = entry.storage.isOverBase ? storages.get(bytesKey(entry.address)) : undefined
      if (storage !== undefined && entry.current !== undefined) {
        yield* visitMerged(nodes, storage, yield* slotChanges(entry))
      }
      const isThere = entry.current !== undefined
      if ((entry.base !== undefined) !== isThere) {
        changes.push({ key: entry.hashedKey, value: isThere ? SOME_ACCOUNT : undefined })
      }
      yield
    }
    yield* visitMerged(nodes, root, changes)
  }
}

/** The slots that become or cease to be zero. */
function* slotChanges({ storage }: AccountEntry): Steps<TrieChange[]> {
  const changes: TrieChange[] = []
  for (const slot of storage.written) {
    const { base = NO_BYTES, value } = slot
    if (base.length > 0 === value.length > 0) continue
    changes.push({ key: slot.hashedKey, value: value.length > 0 ? encodeString(value) : undefined })
    if (changes.length % CHANGES_AT_ONCE === 0) yield
  }
  return changes
}

/** Visits the nodes that deletions merge with others. As in geth, the additions come first: they may prevent it. */
function* visitMerged(nodes: VisitedNodes, root: RootReference, changes: readonly TrieChange[]): Steps<void> {
  const deletions = changes.filter(({ value }) => value === undefined)
  if (deletions.length === 0) return
  const additions = changes.filter(({ value }) => value !== undefined)
  let { hash } = root
  for (const group of [additions, deletions]) {
    const sorted = yield* sortInSteps(group, (a, b) => Buffer.compare(a.key, b.key))
    for (let start = 0; start < sorted.length; start += CHANGES_AT_ONCE) {
      hash = updateTrie(nodes, hash, sorted.slice(start, start + CHANGES_AT_ONCE), nodes)
      yield
    }
  }
}

/** Reads through to a state, and remembers which accounts and slots were read. */
class RecordingView implements StateView {
  readonly base: TrieStateView
  /** By the map keys of the addresses. */
  readonly reads = new Map<string, AccountRead>()

  constructor(base: TrieStateView) {
    this.base = base
  }

  get root(): Uint8Array {
    return this.base.root
  }

  getAccount(address: Uint8Array): Awaitable<AccountState | undefined> {
    this.#readOf(address)
    return this.base.getAccount(address)
  }

  getCode(address: Uint8Array): Awaitable<Uint8Array> {
    return this.base.getCode(address)
  }

  getStorage(address: Uint8Array, slot: Uint8Array): Awaitable<Uint8Array> {
    this.#readOf(address).slots.push(slot)
    return this.base.getStorage(address, slot)
  }

  #readOf(address: Uint8Array): AccountRead {
    const name = bytesKey(address)
    const known = this.reads.get(name)
    if (known !== undefined) return known
    const read = { address: address.slice(), slots: [] }
    this.reads.set(name, read)
    return read
  }
}

/** Reads stored nodes and remembers them; nodes made of them are known but not remembered. */
export class VisitedNodes implements NodeReader, NodeCollector {
  readonly #stored: NodeReader
  /** By the map keys of their RLP: different tries may have the same node. */
  readonly #visited = new Map<string, Uint8Array>()
  readonly #made = new Map<string, NodeRecord>()

  constructor(stored: NodeReader) {
    this.#stored = stored
  }

  /** The RLP of the stored nodes that were read, each once. */
  get visited(): Iterable<Uint8Array> {
    return this.#visited.values()
  }

  getRoot(hash: Uint8Array): NodeRecord {
    return this.#made.get(bytesKey(hash)) ?? this.#remember(this.#stored.getRoot(hash))
  }

  getNode(number: NodeNumber): NodeRecord {
    return this.#remember(this.#stored.getNode(number))
  }

  add(): void {
    // The records of new nodes refer to each other.
  }

  addRoot(hash: Uint8Array, record: NodeRecord): void {
    this.#made.set(bytesKey(hash), record)
  }

  #remember(record: NodeRecord): NodeRecord {
    const name = bytesKey(record.rlp)
    if (!this.#visited.has(name)) this.#visited.set(name, record.rlp)
    return record
  }
}
