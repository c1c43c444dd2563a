import { randomBytes } from 'node:crypto'
import type { StoredBlock } from '../../chain/block/record.js'
import type { ChainEvent } from '../../chain/reader.js'
import type { ChainView } from '../../chain/view.js'
import { TimeSlice } from '../../encoding/timeSlice.js'
import type { Backend } from '../backend.js'
import { ServerError } from '../errors.js'
import { hashesText } from '../format/block.js'
import { removedLog } from '../format/log.js'
import { jsonBytes } from '../format/pieces.js'
import { transactionText } from '../format/transaction.js'
import type { FilterArguments } from '../params/filter.js'
import { type WireBytes, wireArray } from '../wire.js'

/** A block whose logs joined or left the canonical chain. */
export interface LogChange {
  block: StoredBlock
  removed: boolean
}

/** The changes of an event, which all subscriptions share. */
const known = new WeakMap<ChainEvent, readonly LogChange[]>()

/** Returns the blocks whose logs an event affects, in geth's order of notification (core/blockchain.go, reorg). */
export function logChanges(event: ChainEvent): readonly LogChange[] {
  const changes = known.get(event) ?? readChanges(event)
  known.set(event, changes)
  return changes
}

function readChanges(event: ChainEvent): LogChange[] {
  if (event.type !== 'head' && event.type !== 'removed' && event.type !== 'added') return []
  const blocks = event.type === 'head' ? [event.block] : event.blocks
  return blocks.filter(hasLogs).map((block) => ({ block, removed: event.type === 'removed' }))
}

function hasLogs({ header }: StoredBlock): boolean {
  return header.logsBloom.some((byte) => byte !== 0)
}

/** Returns a changed block's logs that match a filter, in wire form. */
export async function changedLogs(
  view: ChainView,
  { block, removed }: LogChange,
  { addresses, topics }: Pick<FilterArguments, 'addresses' | 'topics'>,
): Promise<Uint8Array[]> {
  const unlimited = { maxResults: Infinity, timeoutMilliseconds: Infinity }
  const logs = await view.logs({ range: { block }, addresses, topics }, unlimited)
  return removed ? logs.map(removedLog) : logs
}

type Source = Pick<Backend, 'chain' | 'events'>

/** A value waiting to be polled, and the block that it came with. */
interface QueuedValue<T> {
  value: T
  block?: StoredBlock | undefined
}

/**
 * Creates a filter that collects values from events until polled. Values from blocks that a revert rolls back are
 * dropped, as if they had never existed.
 */
function collectingFilter<T>(
  kind: FilterKind,
  { events, chain }: Source,
  collect: (event: ChainEvent) => readonly QueuedValue<T>[],
  print: (collected: readonly T[]) => WireBytes | Promise<WireBytes>,
  first: readonly QueuedValue<T>[] = [],
): Filter {
  let queued = [...first]
  let beforeChange = (): void => undefined
  const replace = (values: QueuedValue<T>[]): void => {
    if (queued.length === 0 && values.length === 0) return
    beforeChange()
    queued = values
  }
  const append = (values: readonly QueuedValue<T>[]): void => {
    if (values.length === 0) return
    beforeChange()
    queued.push(...values)
  }
  const end = events.subscribe((event) => {
    if (event.type === 'replaced') replace([])
    else if (event.type === 'rewound') {
      replace(queued.filter(({ block }) => block === undefined || chain.isCanonical(block)))
    } else append(collect(event))
  })
  return {
    kind,
    poll: () => {
      const collected = queued.map(({ value }) => value)
      replace([])
      return print(collected)
    },
    save: () => {
      // Lists only grow, or are replaced.
      const [saved, { length }] = [queued, queued]
      return () => {
        queued = saved.slice(0, length)
      }
    },
    watch: (listener) => {
      beforeChange = listener
    },
    end,
  }
}

/** Makes the values of an event once for all filters, as thousands of them may keep what came with thousands of blocks. */
function onceForEach<T>(collect: (event: ChainEvent) => readonly T[]): (event: ChainEvent) => readonly T[] {
  const collected = new WeakMap<ChainEvent, readonly T[]>()
  return (event) => {
    let values = collected.get(event)
    if (values === undefined) {
      values = collect(event)
      collected.set(event, values)
    }
    return values
  }
}

const newHeads = onceForEach((event) => (event.type === 'head' ? [queuedBlock(event.block)] : []))
const pendingTransactions = onceForEach((event) =>
  event.type === 'pending' ? [{ value: event.transaction }] : [],
)
const pendingHashes = onceForEach((event) =>
  event.type === 'pending' ? [{ value: event.transaction.hash }] : [],
)
const queuedChanges = onceForEach((event) =>
  logChanges(event).map((change) => ({ value: change, block: change.removed ? undefined : change.block })),
)

/**
 * Creates a filter that collects the hashes of new heads.
 *
 * @param first - block that the first poll starts with
 */
export function createBlockFilter(source: Source, first?: StoredBlock): Filter {
  return collectingFilter(
    'NewHeads',
    source,
    newHeads,
    (blocks) => wireArray(blocks.map((block) => hashesText([block]))),
    first === undefined ? [] : [queuedBlock(first)],
  )
}

function queuedBlock(block: StoredBlock): QueuedValue<StoredBlock> {
  return { value: block, block }
}

/**
 * Creates a filter that collects transactions as they become executable: full objects or hashes. Hash filters keep only
 * the hashes, as they may never be polled.
 */
export function createPendingFilter(source: Source, { full }: { full: boolean }): Filter {
  return full
    ? collectingFilter('NewPendingTransactions', source, pendingTransactions, (transactions) =>
        wireArray(transactions.map((transaction) => transactionText(transaction, undefined))),
      )
    : collectingFilter('NewPendingTransactions', source, pendingHashes, (hashes) =>
        wireArray(hashes.map((hash) => jsonBytes(hash))),
      )
}

/** Logs in wire form that predate a filter. */
export interface PastLogs {
  /** The logs present now. */
  now: Promise<readonly Uint8Array[]>
  /** Repeats the search, as a revert may have rolled some of them back. */
  repeat: () => Promise<readonly Uint8Array[]>
}

/**
 * Creates a filter that collects new logs and logs removed by reorganisations; it reads them when polled.
 *
 * @param past - logs that the first poll starts with
 */
export function createLogFilter(source: Source, logs: FilterArguments, past?: PastLogs): Filter {
  let pastLogs = past?.now
  let beforeChange = (): void => undefined
  const endPast = source.events.subscribe(({ type }) => {
    if (pastLogs === undefined || (type !== 'rewound' && type !== 'replaced')) return
    beforeChange()
    // If the range now starts beyond the head, the search fails: there are no logs.
    pastLogs = past?.repeat().catch(() => [])
  })
  const collect = (event: ChainEvent) =>
    queuedChanges(event).filter(({ value: { block } }) => inRange(block.header.number, logs))
  const print = async (changes: readonly LogChange[]): Promise<WireBytes> => {
    const begin = pastLogs
    if (begin !== undefined) beforeChange()
    pastLogs = undefined
    const found = [...((await begin) ?? [])]
    const slice = new TimeSlice()
    for (const change of changes) {
      for (const log of await changedLogs(source.chain, change, logs)) found.push(log)
      await slice.pause()
    }
    return wireArray(found)
  }
  const filter = collectingFilter('Logs', source, collect, print)
  const save = (): (() => void) => {
    const [restore, saved] = [filter.save(), pastLogs]
    return () => {
      restore()
      pastLogs = saved
    }
  }
  const watch = (listener: () => void): void => {
    beforeChange = listener
    filter.watch(listener)
  }
  const end = (): void => {
    endPast()
    filter.end()
  }
  return { ...filter, save, watch, end, logs }
}

function inRange(number: bigint, { fromBlock, toBlock }: FilterArguments): boolean {
  if (fromBlock !== undefined && 'number' in fromBlock && number < fromBlock.number) return false
  return toBlock === undefined || !('number' in toBlock) || number <= toBlock.number
}

/** Lifetime of a filter without polls: 15 minutes, like the hosted provider's. */
const lifetimeMilliseconds = 15 * 60_000

/** Maximum number of filters in a network: each takes a kilobyte, and all of them see each new block. */
const MAX_FILTERS = 20_000

/** What a filter collects, named like in hardhat. */
export type FilterKind = 'Logs' | 'NewHeads' | 'NewPendingTransactions'

/** A filter that is polled for changes. */
export interface Filter {
  kind: FilterKind
  /** Returns the changes since the last poll, or since the filter was created. */
  poll(): WireBytes | Promise<WireBytes>
  /** Saves the unpolled changes. @returns a function that restores them */
  save(): () => void
  /** Sets a function to call before each change of what {@link save} saves. */
  watch(beforeChange: () => void): void
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
 * there are too many, the one polled longest ago first.
 */
export class FilterStore {
  /** In order of expiry. */
  readonly #entries = new Map<string, Entry>()
  /** Number of saves so far. */
  #saves = 0
  readonly #now: () => number
  readonly #nextId: () => string

  constructor({ now = () => performance.now(), nextId = randomId }: FilterStoreOptions = {}) {
    this.#now = now
    this.#nextId = nextId
  }

  /** @returns the filter's id */
  add(filter: Filter): string {
    this.#sweep()
    const [oldest] = this.#entries.keys()
    if (oldest !== undefined && this.#entries.size >= MAX_FILTERS) this.remove(oldest)
    const id = this.#nextId()
    const entry: Entry = { filter, expires: this.#expiry(), firstSave: this.#saves, past: [] }
    filter.watch(() => {
      const save = this.#saves
      if (save > entry.firstSave && entry.past.at(-1)?.save !== save) {
        entry.past.push({ save, restore: filter.save() })
      }
    })
    this.#entries.set(id, entry)
    return id
  }

  /** @throws ServerError if there is no such filter */
  poll(id: string): WireBytes | Promise<WireBytes> {
    const entry = this.#find(id)
    entry.expires = this.#expiry()
    this.#entries.delete(id)
    this.#entries.set(id, entry)
    return entry.filter.poll()
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
    this.#entries.get(id)?.filter.end()
    return this.#entries.delete(id)
  }

  /**
   * Saves the unpolled changes of all filters. Costs nothing by itself: each filter keeps the first state that it leaves
   * afterwards.
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
    for (const { filter } of this.#entries.values()) filter.end()
    this.#entries.clear()
  }

  #find(id: string): Entry {
    this.#sweep()
    const entry = this.#entries.get(id)
    if (entry === undefined) throw new ServerError('filter not found')
    return entry
  }

  #expiry(): number {
    return this.#now() + lifetimeMilliseconds
  }

  #sweep(): void {
    const now = this.#now()
    for (const [id, { filter, expires }] of this.#entries) {
      if (expires > now) return
      filter.end()
      this.#entries.delete(id)
    }
  }
}

/** Creates the id of a filter or subscription: 16 random bytes without leading zeros (geth: rpc/subscription.go). */
export function randomId(): string {
  return `0x${randomBytes(16)
    .toString('hex')
    .replace(/^0+(?=.)/, '')}`
}
