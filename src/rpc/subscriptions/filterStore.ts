import { randomBytes } from 'node:crypto'
import type { Requester } from '../../chain/vm/blockEnvironment.js'
import type { Awaitable } from '../../encoding/timeSlice.js'
import { ServerError } from '../errors.js'
import type { FilterArguments } from '../params/filter.js'
import type { WireBytes } from '../wire.js'

/** Lifetime of a filter without polls: 15 minutes, like the hosted provider's. */
const LIFETIME_MILLISECONDS = 15 * 60_000

/** Maximum number of filters in a network: each takes a kilobyte, and all of them see each new block. */
const MAX_FILTERS = 20_000
/** Maximum weight of all that waits in the filters of a network. */
const MAX_WAITING = 250_000
/**
 * Maximum number of addresses and topics in all log filters of a network, and again in all its subscriptions: each
 * takes two hundred bytes.
 */
export const MAX_CRITERIA = 1_000_000
/** Growth after which that weight is summed up again. */
const RECOUNT_GROWTH = MAX_WAITING / 10

/** What a filter collects, named like in hardhat. */
export type FilterKind = 'Logs' | 'NewHeads' | 'NewPendingTransactions'

/** What a filter tells its store. */
export interface FilterWatcher {
  /** Called before each change of what {@link Filter.save} saves. */
  beforeChange(): void
  /** Called when values were added. */
  grown(weight: number): void
}

/** A filter that is polled for changes. */
export interface Filter {
  kind: FilterKind
  /**
   * Returns the changes since the last poll, or since the filter was created.
   *
   * @param requester - the request that holds them until it is answered
   */
  poll(requester?: Requester): Awaitable<WireBytes>
  /** Saves the unpolled changes. @returns a function that restores them */
  save(): () => void
  /** Sets the watcher of changes. */
  watch(watcher: FilterWatcher): void
  /** Weight of what waits to be polled: 1 for a hash, a block or a log, and for each 100 bytes of a transaction. */
  weight(): number
  /** Stops listening to events. */
  end(): void
  /** Criteria of a log filter; absent from other filters. */
  logs?: FilterArguments
}

interface Entry {
  filter: Filter
  expires: number
  /** Number of saves before the filter was added. */
  firstSave: number
  /** States that the filter left, with the number of saves before it did; one for each save at most. */
  past: { save: number; restore: () => void }[]
}

/** Options for a store of filters. */
export interface FilterStoreOptions {
  /** A monotonic clock in milliseconds. */
  now?: () => number
  /** Creates the id of a filter; random by default. */
  nextId?: () => string
}

/** Returns a function that counts ids from 0x1, like hardhat. */
export function countedIds(): () => string {
  let last = 0
  return () => `0x${(++last).toString(16)}`
}

/**
 * The filters of a network. They are not tied to a connection, and expire when not polled: after some time, or when
 * there are too many or too much waits in them, the one polled longest ago first.
 */
export class FilterStore {
  /** In order of expiry. */
  readonly #entries = new Map<string, Entry>()
  /** Number of saves so far. */
  #saves = 0
  /** What was added since the waiting values were last summed up. */
  #grown = 0
  /** Number of addresses and topics in the filters. */
  #criteria = 0
  readonly #now: () => number
  readonly #nextId: () => string

  constructor({ now = () => performance.now(), nextId = randomId }: FilterStoreOptions = {}) {
    this.#now = now
    this.#nextId = nextId
  }

  /** @returns the filter's id */
  add(filter: Filter): string {
    this.#sweep()
    const criteria = criteriaOf(filter.logs)
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size < MAX_FILTERS && this.#criteria + criteria <= MAX_CRITERIA) break
      this.#drop(oldest)
    }
    this.#criteria += criteria
    const id = this.#nextId()
    const entry: Entry = { filter, expires: this.#expiry(), firstSave: this.#saves, past: [] }
    filter.watch({
      beforeChange: () => {
        const save = this.#saves
        if (save > entry.firstSave && entry.past.at(-1)?.save !== save) {
          entry.past.push({ save, restore: filter.save() })
        }
      },
      grown: (weight) => this.#grow(weight),
    })
    this.#entries.set(id, entry)
    this.#grow(filter.weight())
    return id
  }

  /** @throws ServerError if there is no such filter */
  poll(id: string, requester?: Requester): Awaitable<WireBytes> {
    const entry = this.#find(id)
    entry.expires = this.#expiry()
    this.#entries.delete(id)
    this.#entries.set(id, entry)
    return entry.filter.poll(requester)
  }

  /** Whether a filter with this id exists. */
  has(id: string): boolean {
    this.#sweep()
    return this.#entries.has(id)
  }

  /** Returns what a filter collects. @throws ServerError if there is no such filter */
  kind(id: string): FilterKind {
    return this.#find(id).filter.kind
  }

  /** Returns the criteria of a log filter. @throws ServerError if there is none with this id */
  logs(id: string): FilterArguments {
    const { logs } = this.#find(id).filter
    if (logs === undefined) throw new ServerError('filter not found')
    return logs
  }

  /** @returns false if there is no such filter */
  remove(id: string): boolean {
    this.#sweep()
    return this.#drop(id)
  }

  /**
   * Saves the unpolled changes of all filters. Costs nothing by itself: each filter keeps the first state that it
   * leaves afterwards.
   *
   * @returns a function that restores them in the filters that still exist, and forgets all later saves
   */
  save(): () => void {
    const save = ++this.#saves
    return () => {
      for (const { firstSave, past } of this.#entries.values()) {
        if (firstSave >= save) continue
        const index = past.findIndex((state) => state.save >= save)
        if (index >= 0) past.splice(index)[0]?.restore()
      }
    }
  }

  /** Removes all filters. */
  clear(): void {
    for (const id of this.#entries.keys()) this.#drop(id)
  }

  #drop(id: string): boolean {
    const entry = this.#entries.get(id)
    if (entry === undefined) return false
    entry.filter.end()
    this.#criteria -= criteriaOf(entry.filter.logs)
    return this.#entries.delete(id)
  }

  #grow(weight: number): void {
    this.#grown += weight
    if (this.#grown < RECOUNT_GROWTH) return
    this.#grown = 0
    let total = 0
    for (const { filter } of this.#entries.values()) total += filter.weight()
    for (const [id, { filter }] of this.#entries) {
      if (total <= MAX_WAITING) return
      total -= filter.weight()
      this.#drop(id)
    }
  }

  #find(id: string): Entry {
    this.#sweep()
    const entry = this.#entries.get(id)
    if (entry === undefined) throw new ServerError('filter not found')
    return entry
  }

  #expiry(): number {
    return this.#now() + LIFETIME_MILLISECONDS
  }

  #sweep(): void {
    const now = this.#now()
    for (const [id, { expires }] of this.#entries) {
      if (expires > now) return
      this.#drop(id)
    }
  }
}

/** Returns the number of addresses and topics in criteria. */
export function criteriaOf(logs: Pick<FilterArguments, 'addresses' | 'topics'> | undefined): number {
  if (logs === undefined) return 0
  return logs.topics.reduce((sum, { length }) => sum + length, logs.addresses.length)
}

/** Creates the id of a filter or subscription: 16 random bytes without leading zeros (geth: rpc/subscription.go). */
export function randomId(): string {
  return `0x${randomBytes(16)
    .toString('hex')
    .replace(/^0+(?=.)/, '')}`
}
