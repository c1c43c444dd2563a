import { ABSENT_ACCOUNT, ABSENT_SLOT } from '../fork/overlay.js'
import { encodeAccount } from './account.js'
import { bytesKey } from './byteCache.js'
import { Preimages } from './preimages.js'
import { encodeString } from '../rlp.js'
import { updateTrie } from './updateTrie.js'
import type { AccountEntry, SlotEntry } from './entries.js'
import type { NodeNumber, NodeRecord } from './nodeRecord.js'
import type { NodeReader } from './trieNode.js'
import type { NodeCollector, TrieChange } from './updateTrie.js'
import type { Steps } from '../../encoding/timeSlice.js'

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
    changes.sort(byKey)
    let updated = root
    for (let start = 0; start < changes.length; start += CHANGES_IN_A_PIECE) {
      const end = start + CHANGES_IN_A_PIECE
      const piece = changes.length <= end && start === 0 ? changes : changes.slice(start, end)
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
