import { maskKey } from '../keys/apiKey.js'
import type { JournalEntry, JournalFilter, RecordedRequest } from './entry.js'
import { entryOf, matchesEntry } from './entry.js'

/** Told of every entry as it is made. */
export type JournalListener = (entry: JournalEntry) => void

type RecordedEntry = RecordedRequest & { id: number }

/** The last requests, in the order in which they ended. */
export class Journal {
  readonly #capacity: number
  readonly #listeners = new Set<JournalListener>()
  /** A ring: the entry of id n is at n modulo the capacity. */
  #entries: RecordedEntry[] = []
  #nextId = 1

  constructor({ capacity }: { capacity: number }) {
    this.#capacity = capacity
  }

  /** Remembers a request, in the place of the oldest one if there are too many. */
  record(request: RecordedRequest): void {
    const entry = request as RecordedEntry
    entry.id = this.#nextId++
    if (this.#capacity > 0) this.#entries[entry.id % this.#capacity] = entry
    if (this.#listeners.size === 0) return
    const told = entryOf(entry)
    for (const listener of this.#listeners) tell(listener, told)
  }

  /** The entries that a filter looks for, oldest first; with a limit the newest of them. */
  list(filter: JournalFilter = {}, limit = Infinity): JournalEntry[] {
    const found = this.#entries
      .filter((entry) => entry !== undefined && matchesEntry(filter, entry, maskKey))
      .sort((a, b) => a.id - b.id)
    return found.slice(Math.max(0, found.length - limit)).map(entryOf)
  }

  /** @returns a function that ends it */
  listen(listener: JournalListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Forgets everything; ids go on growing. */
  clear(): void {
    this.#entries = []
  }

  /**
   * The first entry that a filter looks for, of those that are there and those to come.
   *
   * @throws the signal's reason when it is aborted first.
   */
  waitFor(filter: JournalFilter, signal?: AbortSignal): Promise<JournalEntry> {
    const [found] = this.list(filter)
    if (found !== undefined) return Promise.resolve(found)
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        stop()
        reject(signal?.reason instanceof Error ? signal.reason : new Error('no such request came'))
      }
      const stop = this.listen((entry) => {
        if (!matchesEntry(filter, entry, maskKey)) return
        stop()
        signal?.removeEventListener('abort', abort)
        resolve(entry)
      })
      if (signal?.aborted) abort()
      else signal?.addEventListener('abort', abort, { once: true })
    })
  }
}

/** What a listener throws is its own fault: it comes up by itself, and not in the request. */
function tell(listener: JournalListener, entry: JournalEntry): void {
  try {
    listener(entry)
  } catch (fault) {
    queueMicrotask(() => {
      throw fault
    })
  }
}
