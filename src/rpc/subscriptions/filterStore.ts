import { ServerError } from '../errors.js'
import type { FilterArguments } from '../params/filter.js'
import type { WireBytes } from '../wire.js'
import { randomId } from './randomId.js'

/** Minutes that a filter lives without a poll: those of the hosted provider. */
const lifetimeMilliseconds = 15 * 60_000

/** A filter that is asked for what changed since the last time. */
export interface Filter {
  /** What changed since the last poll, or since the filter was made. */
  poll(): WireBytes | Promise<WireBytes>
  /** Remembers what waits to be polled. @returns a function that puts it back */
  save(): () => void
  /** Frees what the filter listens to. */
  end(): void
  /** What a filter of logs asks for; other filters have none. */
  logs?: FilterArguments
}

interface Entry {
  filter: Filter
  expires: number
}

/** The filters of a network. They belong to no connection, and vanish when nobody polls them. */
export class FilterStore {
  readonly #entries = new Map<string, Entry>()
  readonly #now: () => number

  /** @param now - milliseconds, of a clock that does not go back */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** @returns the filter's id */
  add(filter: Filter): string {
    this.#sweep()
    const id = randomId()
    this.#entries.set(id, { filter, expires: this.#now() + lifetimeMilliseconds })
    return id
  }

  /** @throws ServerError if there is no such filter. */
  poll(id: string): WireBytes | Promise<WireBytes> {
    const entry = this.#find(id)
    entry.expires = this.#now() + lifetimeMilliseconds
    return entry.filter.poll()
  }

  /** Whether there is a filter of this id. */
  has(id: string): boolean {
    this.#sweep()
    return this.#entries.has(id)
  }

  /** What a filter of logs asks for. @throws ServerError if there is none of this id. */
  logs(id: string): FilterArguments {
    const { logs } = this.#find(id).filter
    if (logs === undefined) throw new ServerError('filter not found')
    return logs
  }

  /** @returns false if there is no such filter */
  remove(id: string): boolean {
    this.#sweep()
    this.#entries.get(id)?.filter.end()
    return this.#entries.delete(id)
  }

  /**
   * Remembers what waits in each filter. @returns a function that puts it back into those that are still there
   */
  save(): () => void {
    this.#sweep()
    const saved = [...this.#entries].map(([id, { filter }]) => ({ id, restore: filter.save() }))
    return () => {
      for (const { id, restore } of saved) if (this.#entries.has(id)) restore()
    }
  }

  /** Ends all filters. */
  clear(): void {
    for (const { filter } of this.#entries.values()) filter.end()
    this.#entries.clear()
  }

  #find(id: string): Entry {
    this.#sweep()
    const entry = this.#entries.get(id)
    if (entry === undefined) throw new ServerError('filter not found')
    return entry
  }

  #sweep(): void {
    const now = this.#now()
    for (const [id, { filter, expires }] of this.#entries) {
      if (expires > now) continue
      filter.end()
      this.#entries.delete(id)
    }
  }
}
