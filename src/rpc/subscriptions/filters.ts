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

/** A block whose logs came onto the canonical chain or left it. */
export interface LogChange {
  block: StoredBlock
  removed: boolean
}

/** The blocks whose logs an event concerns, in the order in which geth tells them (core/blockchain.go, reorg). */
export function logChanges(event: ChainEvent): LogChange[] {
  if (event.type === 'head') return [{ block: event.block, removed: false }]
  if (event.type !== 'removed' && event.type !== 'added') return []
  return event.blocks.map((block) => ({ block, removed: event.type === 'removed' }))
}

/** The logs of a changed block that a filter asks for, in wire form. */
export async function changedLogs(
  view: ChainView,
  { block, removed }: LogChange,
  { addresses, topics }: Pick<FilterArguments, 'addresses' | 'topics'>,
): Promise<Uint8Array[]> {
  if (block.header.logsBloom.every((byte) => byte === 0)) return []
  const unlimited = { maxResults: Infinity, timeoutMilliseconds: Infinity }
  const logs = await view.logs({ range: { block }, addresses, topics }, unlimited)
  return removed ? logs.map(removedLog) : logs
}

type Source = Pick<Backend, 'chain' | 'events'>

/** Something that waits to be polled, and the block that it came with. */
interface Waiting<T> {
  value: T
  block?: StoredBlock | undefined
}

/**
 * A filter that collects something from events until it is polled. What came with blocks that a revert took back is
 * gone, as if they had never been.
 */
function collectingFilter<T>(
  { events, chain }: Source,
  collect: (event: ChainEvent) => readonly Waiting<T>[],
  print: (collected: readonly T[]) => WireBytes | Promise<WireBytes>,
  first: readonly Waiting<T>[] = [],
): Filter {
  let waiting = [...first]
  const end = events.subscribe((event) => {
    if (event.type === 'replaced') waiting = []
    else if (event.type === 'rewound') {
      waiting = waiting.filter(({ block }) => block === undefined || chain.isCanonical(block))
    } else waiting.push(...collect(event))
  })
  return {
    poll: () => {
      const collected = waiting.map(({ value }) => value)
      waiting = []
      return print(collected)
    },
    save: () => {
      const saved = [...waiting]
      return () => {
        waiting = [...saved]
      }
    },
    end,
  }
}

/**
 * Collects the hashes of new heads.
 *
 * @param first - a block that the first poll begins with
 */
export function createBlockFilter(source: Source, first?: StoredBlock): Filter {
  const collect = (event: ChainEvent) => (event.type === 'head' ? [waitingBlock(event.block)] : [])
  return collectingFilter(
    source,
    collect,
    (blocks) => wireArray(blocks.map((block) => hashesText([block]))),
    first === undefined ? [] : [waitingBlock(first)],
  )
}

function waitingBlock(block: StoredBlock): Waiting<StoredBlock> {
  return { value: block, block }
}

/**
 * Collects transactions that became executable: whole objects, or their hashes. A filter may never be polled: where
 * hashes do, no more is kept.
 */
export function createPendingFilter(source: Source, { full }: { full: boolean }): Filter {
  return full
    ? collectingFilter(
        source,
        (event) => (event.type === 'pending' ? [{ value: event.transaction }] : []),
        (transactions) =>
          wireArray(transactions.map((transaction) => transactionText(transaction, undefined))),
      )
    : collectingFilter(
        source,
        (event) => (event.type === 'pending' ? [{ value: event.transaction.hash }] : []),
        (hashes) => wireArray(hashes.map((hash) => jsonBytes(hash))),
      )
}

/** Logs in wire form that were there before a filter was. */
export interface PastLogs {
  /** Those that are there now. */
  now: Promise<readonly Uint8Array[]>
  /** Searches anew: a revert may have taken some of them back. */
  again: () => Promise<readonly Uint8Array[]>
}

/**
 * Collects logs that came and logs that a reorganisation removed; they are read when the filter is polled.
 *
 * @param past - what the first poll has before all others
 */
export function createLogFilter(source: Source, logs: FilterArguments, past?: PastLogs): Filter {
  let pastLogs = past?.now
  const endPast = source.events.subscribe(({ type }) => {
    if (pastLogs === undefined || (type !== 'rewound' && type !== 'replaced')) return
    // A range that begins beyond the head now is refused, and has none.
    pastLogs = past?.again().catch(() => [])
  })
  const collect = (event: ChainEvent) =>
    logChanges(event)
      .filter(({ block }) => inRange(block.header.number, logs))
      .map((change) => ({ value: change, block: change.removed ? undefined : change.block }))
  const print = async (changes: readonly LogChange[]): Promise<WireBytes> => {
    const begin = pastLogs
    pastLogs = undefined
    const found = [...((await begin) ?? [])]
    const slice = new TimeSlice()
    for (const change of changes) {
      for (const log of await changedLogs(source.chain, change, logs)) found.push(log)
      await slice.pause()
    }
    return wireArray(found)
  }
  const filter = collectingFilter(source, collect, print)
  const save = (): (() => void) => {
    const [restore, saved] = [filter.save(), pastLogs]
    return () => {
      restore()
      pastLogs = saved
    }
  }
  const end = (): void => {
    endPast()
    filter.end()
  }
  return { ...filter, save, end, logs }
}

function inRange(number: bigint, { fromBlock, toBlock }: FilterArguments): boolean {
  if (fromBlock !== undefined && 'number' in fromBlock && number < fromBlock.number) return false
  return toBlock === undefined || !('number' in toBlock) || number <= toBlock.number
}

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

/** The filters of a network. They belong to no connection, and expire when they are not polled. */
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

/** A new id for a filter or subscription: 16 random bytes without leading zeros (geth: rpc/subscription.go). */
export function randomId(): string {
  return `0x${randomBytes(16)
    .toString('hex')
    .replace(/^0+(?=.)/, '')}`
}
