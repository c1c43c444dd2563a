import { sortInSteps } from '../../encoding/sorting.js'
import type { Steps } from '../../encoding/timeSlice.js'
import { ABSENT_ACCOUNT, ABSENT_SLOT } from '../fork/overlay.js'
import { encodeString } from '../rlp.js'
import { type AccountEntry, type HashedBytes, type SlotEntry, bytesKey, encodeAccount } from './account.js'
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
  /** Addresses and slots that the base does not have, by the map key of their hash. */
  readonly preimages = new Map<string, HashedBytes>()
  /** The root over everything applied so far. */
  root: Uint8Array

  /**
   * @param options.marksAbsence whether absent entries leave a mark in the trie, because a fork would otherwise look
   *   for them remotely
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
      if (entry.base === undefined || this.#marksAbsence) this.#addPreimage(entry.hashedKey, entry.address)
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

  *#slotChanges({ storage }: AccountEntry): Steps<TrieChange[]> {
    const changes: TrieChange[] = []
    for (const slot of storage.takeTouched()) {
      const { value } = slot
      if (value.length > 0 && this.#mayBeNew(slot)) this.#addPreimage(slot.hashedKey, slot.key)
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

  #addPreimage(hash: Uint8Array, bytes: Uint8Array): void {
    this.preimages.set(bytesKey(hash), { hash, bytes })
  }

  #absent(mark: Uint8Array): Uint8Array | undefined {
    return this.#marksAbsence ? mark : undefined
  }

  /** Updates in key order, so that each piece changes a different part of the trie. */
  *#update(root: Uint8Array, changes: TrieChange[]): Steps<Uint8Array> {
    const isOnePiece = changes.length <= CHANGES_IN_A_PIECE
    const sorted = isOnePiece ? changes.sort(byKey) : yield* sortInSteps(changes, byKey)
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
