import { maskKey } from '../keys/apiKey.js'
import type { JournalEntry, JournalFilter, RecordedRequest } from './entry.js'
import { entryOf, matchesEntry } from './entry.js'

/** Told of every entry as it is made. */
export type JournalListener = (entry: JournalEntry) => void

type RecordedEntry = RecordedRequest & { id: number }

/** Characters of all answers that are kept; the oldest go first. */
const maxAnswers = 16 * 1024 * 1024

/** The last requests, in the order in which they ended. */
export class Journal {
  readonly #capacity: number
  readonly #listeners = new Set<JournalListener>()
  /** A ring: the entry of id n is at n modulo the capacity. */
  #entries: RecordedEntry[] = []
  #nextId = 1
  /** Characters of the answers that are kept, and the id before which none is. */
  #answers = 0
  #firstAnswer = 1

  constructor({ capacity }: { capacity: number }) {
    this.#capacity = capacity
  }

  /** Remembers a request, in the place of the oldest one if there are too many. */
  record(request: RecordedRequest): void {
    const entry = request as RecordedEntry
    entry.id = this.#nextId++
    if (this.#capacity > 0) {
      const place = entry.id % this.#capacity
      this.#answers += (entry.answer?.length ?? 0) - (this.#entries[place]?.answer?.length ?? 0)
      this.#entries[place] = entry
      if (this.#answers > maxAnswers) this.#dropAnswers()
    }
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

  /** Id of the newest request; 0 before the first one. */
  get newestId(): number {
    return this.#nextId - 1
  }

  /** A request of an id with its answer, as far as they are kept. */
  find(id: number): (JournalEntry & { answer?: unknown }) | undefined {
    const entry = this.#entries[id % this.#capacity]
    if (entry?.id !== id) return undefined
    const { answer } = entry
    return { ...entryOf(entry), ...(answer !== undefined && { answer: JSON.parse(answer) as unknown }) }
  }

  /** The requests that are remembered, newest first. @param before - an id that they are older than */
  *newestFirst(before = Infinity): Generator<RecordedEntry> {
    const newest = Math.min(before, this.#nextId) - 1
    for (let id = newest; id > 0 && id > this.#nextId - 1 - this.#capacity; id -= 1) {
      const entry = this.#entries[id % this.#capacity]
      if (entry?.id === id) yield entry
    }
  }

  /** @returns a function that ends it */
  listen(listener: JournalListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Forgets everything; ids go on growing. */
  clear(): void {
    this.#entries = []
    this.#answers = 0
    this.#firstAnswer = this.#nextId
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

  /** Forgets the oldest answers until the others are few enough. */
  #dropAnswers(): void {
    this.#firstAnswer = Math.max(this.#firstAnswer, this.#nextId - this.#capacity)
    for (; this.#answers > maxAnswers && this.#firstAnswer < this.#nextId; this.#firstAnswer += 1) {
      const entry = this.#entries[this.#firstAnswer % this.#capacity]
      if (entry?.answer === undefined) continue
      this.#answers -= entry.answer.length
      delete entry.answer
    }
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
