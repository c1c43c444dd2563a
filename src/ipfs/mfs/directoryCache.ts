import type { CID } from 'multiformats/cid'
import { cidKey } from '../cid/cidFormat.js'
import type { Blockstore } from '../store/blockstore.js'
import { type UnixfsEntry, loadEntry } from '../unixfs/entry.js'

/** Bytes of blocks whose decoded form is kept; in memory, that takes some twenty times as much. */
const CAPACITY = 1024 * 1024

/**
 * Keeps the directories that were decoded last: each operation reads those on its path several times. The blocks
 * themselves must still be stored.
 */
export class DirectoryCache {
  readonly #source: Pick<Blockstore, 'get' | 'has'>
  /** Entries that are being decoded. */
  readonly #loading = new Map<string, Promise<UnixfsEntry>>()
  /** The least recently used first. */
  readonly #kept = new Map<string, UnixfsEntry>()
  #bytes = 0

  constructor(source: Pick<Blockstore, 'get' | 'has'>) {
    this.#source = source
  }

  /** Like `loadEntry`, with the same errors. */
  load(cid: CID): Promise<UnixfsEntry> {
    const key = cidKey(cid)
    const kept = this.#kept.get(key)
    if (kept !== undefined && this.#source.has(cid)) {
      this.#kept.delete(key)
      this.#kept.set(key, kept)
      return Promise.resolve(kept)
    }
    const loading = this.#loading.get(key) ?? this.#decode(cid, key)
    this.#loading.set(key, loading)
    return loading
  }

  async #decode(cid: CID, key: string): Promise<UnixfsEntry> {
    try {
      const entry = await loadEntry(this.#source, cid)
      if (entry.type === 'directory') this.#keep(key, entry)
      return entry
    } finally {
      this.#loading.delete(key)
    }
  }

  #keep(key: string, entry: UnixfsEntry): void {
    if (!this.#kept.has(key)) this.#bytes += entry.block.length
    this.#kept.set(key, entry)
    for (const [oldest, { block }] of this.#kept) {
      if (this.#bytes <= CAPACITY) return
      this.#kept.delete(oldest)
      this.#bytes -= block.length
    }
  }
}
