import { RLP } from '@ethereumjs/rlp'
import { type Steps, TimeSlice, sortInSlices } from '../../encoding/timeSlice.js'
import type { Database, WriteBatch } from '../../storage/database.js'
import type { Keyspace } from '../../storage/keyspace.js'
import { keccak256 } from '../crypto.js'
import { ABSENT_ACCOUNT, ABSENT_SLOT } from '../fork/overlay.js'
import { encodeList, encodeString } from '../rlp.js'
import { type AccountEntry, type SlotEntry, bytesKey, encodeAccount } from './account.js'
import type { NodeNumber, NodeRecord } from './nodeRecord.js'
import type { NodeReader } from './trieNode.js'
import { type NodeCollector, type TrieChange, updateTrie } from './updateTrie.js'

/** Some milliseconds' worth of changes. Between two pieces a handful of nodes is made that the next one replaces. */
const CHANGES_IN_A_PIECE = 256

/** A root that is not stored yet. */
export interface TrieRoot {
  /** 32 bytes. */
  hash: Uint8Array
  record: NodeRecord
}

/** The state trie of a working state: stored nodes, and over them those that were made since. */
export class WorkingTrie implements NodeReader {
  readonly #stored: NodeReader
  readonly #marksAbsence: boolean
  /** New nodes, children before their parents. */
  readonly nodes: NodeRecord[] = []
  /** New roots of the state and of storage, by the key of their hash. */
  readonly roots = new Map<string, TrieRoot>()
  /** The numbers of stored nodes that others took the place of. */
  readonly replaced: NodeNumber[] = []
  /** Addresses and slots that the base does not have. */
  readonly preimages = new Preimages()
  /** The root over everything that was applied. */
  root: Uint8Array

  /**
   * @param options.marksAbsence whether what is not there stays in the trie as a mark, because a fork would look for it
   * elsewhere.
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

  /** Brings accounts and their storage into the trie as they are now. */
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
      changes.push({ key: entry.hashedKey, value: encodeAccount(current, storage.root) })
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

  /** Whether a slot's key may be unknown: who overwrites slots unread knows their keys otherwise. */
  #mayBeNew({ base }: SlotEntry): boolean {
    return this.#marksAbsence || base?.length === 0
  }

  #absent(mark: Uint8Array): Uint8Array | undefined {
    return this.#marksAbsence ? mark : undefined
  }

  /** In the order of the keys, so that one piece changes another part of the trie than the next. */
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

/** Hashed keys differ within their first bytes, sooner than a call of native code has begun. */
function byKey({ key: a }: TrieChange, { key: b }: TrieChange): number {
  for (let i = 0; i < a.length; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

/** Addresses and slots in a row of the database, at most: a row is read and written in one piece. */
const KEYS_IN_ROW = 1024

/**
 * Addresses and slots that came into a state. The tries know them by their hashes only; what lists accounts and
 * storage, a dump for one, needs the keys themselves.
 */
export class Preimages {
  readonly #slots = new Map<string, { address: Uint8Array; slots: Map<string, Uint8Array> }>()

  #count = 0

  /** How many addresses and slots there are. */
  get count(): number {
    return this.#count
  }

  /** Takes up a 20-byte address, and a 32-byte slot of it if one came. */
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

  /** The same in parts of at most so many addresses and slots; an address is in each part that has slots of it. */
  *inParts(most: number): Iterable<Preimages> {
    if (this.#count <= most) {
      yield this
      return
    }
    let part = new Preimages()
    for (const { address, slots } of this.#slots.values()) {
      for (const slot of slots.size === 0 ? [undefined] : slots.values()) {
        part.add(address, slot)
        // Another slot may bring its address with it.
        if (part.#count + 2 <= most) continue
        yield part
        part = new Preimages()
      }
    }
    if (part.#count > 0) yield part
  }

  /** The slots of a 20-byte address. */
  slotsOf(address: Uint8Array): Uint8Array[] {
    return [...(this.#slots.get(bytesKey(address))?.slots.values() ?? [])]
  }

  /** Each address with its slots. */
  *entries(): Iterable<[address: Uint8Array, slots: Uint8Array[]]> {
    for (const { address, slots } of this.#slots.values()) yield [address, [...slots.values()]]
  }

  /** RLP of a list of lists: an address and its slots. */
  encode(): Uint8Array {
    const entries = [...this.entries()]
    return encodeList(
      entries.map(([address, slots]) => encodeList([encodeString(address), ...slots.map(encodeString)])),
    )
  }

  /** Takes up what {@link encode} wrote. */
  addEncoded(bytes: Uint8Array): void {
    for (const entry of RLP.decode(bytes) as Uint8Array[][]) {
      const [address, ...slots] = entry
      if (address === undefined) continue
      this.add(address)
      for (const slot of slots) this.add(address, slot)
    }
  }
}

/** Adds the preimages that came with a state to a batch. */
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

/** All addresses and slots that were ever part of a state of a network. */
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
