import { encodeAccount } from './account.js'
import { bytesKey } from './byteCache.js'
import { Preimages } from './preimages.js'
import { encodeString } from './rlp.js'
import { updateTrie } from './updateTrie.js'
import type { AccountEntry, StorageEntry } from './entries.js'
import type { HashedBytes } from './stateStore.js'
import type { NodeReader } from './trieNode.js'
import type { NodeCollector, TrieChange } from './updateTrie.js'

/** The state trie of a working state: stored nodes, and over them those that were made since. */
export class WorkingTrie implements NodeReader {
  readonly #stored: NodeReader
  /** New nodes by the key of their hash. */
  readonly nodes = new Map<string, HashedBytes>()
  /** Addresses and slots that the base does not have. */
  readonly preimages = new Preimages()
  /** The root over everything that was applied. */
  root: Uint8Array

  constructor(stored: NodeReader, root: Uint8Array) {
    this.#stored = stored
    this.root = root
  }

  getNode(hash: Uint8Array): Uint8Array {
    const made = this.nodes.size > 0 ? this.nodes.get(bytesKey(hash)) : undefined
    return made?.bytes ?? this.#stored.getNode(hash)
  }

  /** Brings accounts and their storage into the trie as they are now. */
  apply(entries: Iterable<AccountEntry>): void {
    const changes: TrieChange[] = []
    for (const entry of entries) {
      const { current, storage } = entry
      if (current !== undefined) {
        if (entry.base === undefined) this.preimages.add(entry.address)
        this.#applyStorage(entry.address, storage)
      }
      changes.push({
        key: entry.hashedKey,
        value: current && encodeAccount({ ...current, storageRoot: storage.root }),
      })
    }
    this.root = this.#update(this.root, changes)
  }

  #applyStorage(address: Uint8Array, storage: StorageEntry): void {
    const changes: TrieChange[] = []
    for (const { key, hashedKey, base, value } of storage.takeTouched()) {
      if (base.length === 0 && value.length > 0) this.preimages.add(address, key)
      changes.push({ key: hashedKey, value: value.length === 0 ? undefined : encodeString(value) })
    }
    storage.root = this.#update(storage.root, changes)
  }

  #update(root: Uint8Array, changes: TrieChange[]): Uint8Array {
    if (changes.length === 0) return root
    changes.sort((a, b) => Buffer.compare(a.key, b.key))
    return updateTrie(this, root, changes, this.#collect)
  }

  readonly #collect: NodeCollector = (hash, bytes) => {
    this.nodes.set(bytesKey(hash), { hash, bytes })
  }
}
