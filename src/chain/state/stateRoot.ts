import { RLP } from '@ethereumjs/rlp'
import { sortInSlices } from '../../encoding/sorting.js'
import { type Steps, TimeSlice } from '../../encoding/timeSlice.js'
import type { Database, WriteBatch } from '../../storage/database.js'
import type { Keyspace } from '../../storage/keyspace.js'
import { keccak256 } from '../crypto.js'
import { ABSENT_ACCOUNT, ABSENT_SLOT } from '../fork/overlay.js'
import { encodeList, encodeString } from '../rlp.js'
import { type AccountEntry, type SlotEntry, bytesKey, encodeAccount } from './account.js'
import { EMPTY_TRIE_ROOT, type NodeNumber, type NodeRecord } from './nodeRecord.js'
import type { NodeReader } from './trieNode.js'
import { type NodeCollector, type TrieChange, updateTrie } from './updateTrie.js'

/**
 * Changes applied between two yields, some milliseconds of work. Each piece makes a handful of nodes that the next one
 * replaces.
 */
const CHANGES_IN_A_PIECE = 256

/** A root that is not stored yet. */
export interface TrieRoot {
  /** 32 bytes. */
  hash: Uint8Array
  record: NodeRecord
}

/** The state trie of a working state: stored nodes, overlaid with those made since. */
export class WorkingTrie implements NodeReader {
  readonly #stored: NodeReader
  readonly #marksAbsence: boolean
  /** New nodes, children before their parents. */
  readonly nodes: NodeRecord[] = []
  /** New state and storage roots, by the map key of their hash. */
  readonly roots = new Map<string, TrieRoot>()
  /** Numbers of stored nodes that were replaced. */
  readonly replaced: NodeNumber[] = []
  /** Addresses and slots that the base does not have. */
  readonly preimages = new Preimages()
  /** The root over everything applied so far. */
  root: Uint8Array

  /**
   * @param options.marksAbsence whether absent entries leave a mark in the trie, because a fork would otherwise look
   *   for them remotely.
   */
  constructor(stored: NodeReader, root: Uint8Array, options: { marksAbsence?: boolean } = {}) {
    this.#stored = stored
    this.#marksAbsence = options.marksAbsence ?? false
    this.root = root
  }

  getRoot(hash: Uint8Array): NodeRecord {
    const made = this.roots.size > 0 ? this.roots.get(bytesKey(hash)) : undefined
    return made?.record ?? this.#stored.getRoot(hash)
  }

  getNode(number: NodeNumber): NodeRecord {
    return this.#stored.getNode(number)
  }

  /** Applies accounts and their storage to the trie. */
  *apply(entries: Iterable<AccountEntry>): Steps<void> {
    const changes: TrieChange[] = []
    for (const entry of entries) {
      const { current, storage } = entry
      if (current === undefined) {
        changes.push({ key: entry.hashedKey, value: this.#absent(ABSENT_ACCOUNT) })
        continue
      }
      if (entry.base === undefined || this.#marksAbsence) this.preimages.add(entry.address)
      if (storage.isTouched) {
        storage.root = yield* this.#update(storage.root, yield* this.#slotChanges(entry))
      }
      changes.push({
        key: entry.hashedKey,
        value: encodeAccount(current, storage.root),
        link: storage.root === EMPTY_TRIE_ROOT ? undefined : this.roots.get(bytesKey(storage.root))?.record,
      })
      if (changes.length % CHANGES_IN_A_PIECE === 0) yield
    }
    this.root = yield* this.#update(this.root, changes)
  }

  *#slotChanges({ address, storage }: AccountEntry): Steps<TrieChange[]> {
    const changes: TrieChange[] = []
    for (const slot of storage.takeTouched()) {
      const { value } = slot
      if (value.length > 0 && this.#mayBeNew(slot)) this.preimages.add(address, slot.key)
      changes.push({
        key: slot.hashedKey,
        value: value.length === 0 ? this.#absent(ABSENT_SLOT) : encodeString(value),
      })
      if (changes.length % CHANGES_IN_A_PIECE === 0) yield
    }
    return changes
  }

  /** Whether a slot's key may be unknown. Slots overwritten unread have keys that are known otherwise. */
  #mayBeNew({ base }: SlotEntry): boolean {
    return this.#marksAbsence || base?.length === 0
  }

  #absent(mark: Uint8Array): Uint8Array | undefined {
    return this.#marksAbsence ? mark : undefined
  }

  /** Updates in key order, so that each piece changes a different part of the trie. */
  *#update(root: Uint8Array, changes: TrieChange[]): Steps<Uint8Array> {
    const isOnePiece = changes.length <= CHANGES_IN_A_PIECE
    const sorted = isOnePiece ? changes.sort(byKey) : yield* sortInSlices(changes, byKey)
    let updated = root
    for (let start = 0; start < sorted.length; start += CHANGES_IN_A_PIECE) {
      const piece = isOnePiece ? sorted : sorted.slice(start, start + CHANGES_IN_A_PIECE)
      updated = updateTrie(this, updated, piece, this.#collector)
      yield
    }
    return updated
  }

  readonly #collector: NodeCollector = {
    add: (record) => {
      this.nodes.push(record)
    },
    addRoot: (hash, record) => {
      this.roots.set(bytesKey(hash), { hash, record })
    },
    replace: (record) => {
      if (record.number === undefined) record.isReplaced = true
      else this.replaced.push(record.number)
    },
  }
}

/** Hashed keys differ within their first bytes, so this loop beats a native call. */
function byKey({ key: a }: TrieChange, { key: b }: TrieChange): number {
  for (let i = 0; i < a.length; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

/** Maximum number of addresses and slots in a database row, which is read and written as a whole. */
const KEYS_IN_ROW = 1024

/**
 * Addresses and slots that entered a state. Tries contain only their hashes, but listing accounts and storage, as in a
 * dump, needs the originals.
 */
export class Preimages {
  readonly #slots = new Map<string, { address: Uint8Array; slots: Map<string, Uint8Array> }>()

  #count = 0

  /** Number of addresses and slots. */
  get count(): number {
    return this.#count
  }

  /** Adds a 20-byte address, and optionally a 32-byte slot of it. */
  add(address: Uint8Array, slot?: Uint8Array): void {
    const key = bytesKey(address)
    let known = this.#slots.get(key)
    if (known === undefined) {
      known = { address, slots: new Map() }
      this.#slots.set(key, known)
      this.#count++
    }
    if (slot === undefined) return
    const { size } = known.slots
    known.slots.set(bytesKey(slot), slot)
    this.#count += known.slots.size - size
  }

  /**
   * Splits the preimages into parts of at most `most` addresses and slots. An address is repeated in each part that has
   * slots of it.
   */
  *inParts(most: number): Iterable<Preimages> {
    if (this.#count <= most) {
      yield this
      return
    }
    let part = new Preimages()
    for (const { address, slots } of this.#slots.values()) {
      for (const slot of slots.size === 0 ? [undefined] : slots.values()) {
        part.add(address, slot)
        // Another slot may also add its address.
        if (part.#count + 2 <= most) continue
        yield part
        part = new Preimages()
      }
    }
    if (part.#count > 0) yield part
  }

  /** Returns the slots of a 20-byte address. */
  slotsOf(address: Uint8Array): Uint8Array[] {
    return [...(this.#slots.get(bytesKey(address))?.slots.values() ?? [])]
  }

  /** Iterates over the addresses with their slots. */
  *entries(): Iterable<[address: Uint8Array, slots: Uint8Array[]]> {
    for (const { address, slots } of this.#slots.values()) yield [address, [...slots.values()]]
  }

  /** Encodes as an RLP list of lists, each an address followed by its slots. */
  encode(): Uint8Array {
    const entries = [...this.entries()]
    return encodeList(
      entries.map(([address, slots]) => encodeList([encodeString(address), ...slots.map(encodeString)])),
    )
  }

  /** Adds the output of {@link encode}. */
  addEncoded(bytes: Uint8Array): void {
    for (const entry of RLP.decode(bytes) as Uint8Array[][]) {
      const [address, ...slots] = entry
      if (address === undefined) continue
      this.add(address)
      for (const slot of slots) this.add(address, slot)
    }
  }
}

/** Adds a state's new preimages to a batch. */
export function stagePreimages(
  keyspace: Pick<Keyspace, 'preimages'>,
  batch: WriteBatch,
  preimages: Preimages,
): void {
  if (preimages.count === 0) return
  for (const part of preimages.inParts(KEYS_IN_ROW)) {
    const encoded = part.encode()
    batch.put(keyspace.preimages(keccak256(encoded)), encoded)
  }
}

/** Loads all addresses and slots that were ever part of a state of a network. */
export async function loadPreimages(
  database: Pick<Database, 'iterate'>,
  keyspace: Pick<Keyspace, 'allPreimages'>,
): Promise<Preimages> {
  const all = new Preimages()
  const slice = new TimeSlice()
  for await (const [, bytes] of database.iterate(keyspace.allPreimages())) {
    all.addEncoded(bytes)
    await slice.pause()
  }
  return all
}
