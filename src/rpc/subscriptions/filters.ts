import type { BlockPosition, StoredBlock } from '../../chain/block/record.js'
import type { ChainEvent } from '../../chain/reader.js'
import type { ChainView } from '../../chain/view.js'
import { type Awaitable, TimeSlice } from '../../encoding/timeSlice.js'
import type { Backend } from '../backend.js'
import { removedLog } from '../format/log.js'
import { jsonBytes } from '../format/pieces.js'
import { transactionText } from '../format/transaction.js'
import type { FilterArguments } from '../params/filter.js'
import { type WireBytes, wireArray } from '../wire.js'
import type { Filter, FilterKind, FilterWatcher } from './filterStore.js'

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

/** What a filter keeps of a block: an entire one takes a kilobyte. */
interface KnownBlock extends BlockPosition {
  /** 32 bytes. */
  hash: Uint8Array
}

/** A value waiting to be polled, and the block that it came with. */
interface QueuedValue<T> {
  value: T
  block?: KnownBlock | undefined
  /** In units of about 100 bytes; by default 1. */
  weight?: number
}

function weightOf(values: readonly QueuedValue<unknown>[]): number {
  return values.reduce((sum, { weight = 1 }) => sum + weight, 0)
}

/**
 * Creates a filter that collects values from events until polled. Values from blocks that a revert rolls back are
 * dropped, as if they had never existed: all since the newest that is still canonical.
 */
function collectingFilter<T>(
  kind: FilterKind,
  { events, chain }: Source,
  collect: (event: ChainEvent) => readonly QueuedValue<T>[],
  print: (collected: readonly T[]) => Awaitable<WireBytes>,
  first: readonly QueuedValue<T>[] = [],
): Filter {
  let queued = [...first]
  let watcher: FilterWatcher | undefined
  const replace = (values: QueuedValue<T>[]): void => {
    if (queued.length === 0 && values.length === 0) return
    watcher?.beforeChange()
    queued = values
  }
  const append = (values: readonly QueuedValue<T>[]): void => {
    if (values.length === 0) return
    watcher?.beforeChange()
    queued.push(...values)
    watcher?.grown(weightOf(values))
  }
  const end = events.subscribe((event) => {
    if (event.type === 'replaced') replace([])
    else if (event.type === 'rewound') {
      const known = canonical(event)
      const last = queued.findLastIndex(
        ({ block }) => block !== undefined && staysCanonical(chain, block, known),
      )
      replace(queued.filter(({ block }, index) => block === undefined || index <= last))
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
    watch: (added) => {
      watcher = added
    },
    weight: () => weightOf(queued),
    end,
  }
}

/** Makes the values of an event once for all filters, as thousands of them may keep what came with thousands of blocks. */
function onceForEach<T>(make: (event: ChainEvent) => T): (event: ChainEvent) => T {
  const made = new WeakMap<ChainEvent, { value: T }>()
  return (event) => {
    let known = made.get(event)
    if (known === undefined) made.set(event, (known = { value: make(event) }))
    return known.value
  }
}

const newHeads = onceForEach((event) => (event.type === 'head' ? [queuedBlock(event.block)] : []))
const pendingTransactions = onceForEach((event) => {
  if (event.type !== 'pending') return []
  const value = transactionText(event.transaction, undefined)
  return [{ value, weight: Math.ceil(value.length / 100) }]
})
const pendingHashes = onceForEach((event) =>
  event.type === 'pending' ? [{ value: event.transaction.hash }] : [],
)
const queuedChanges = onceForEach((event) =>
  logChanges(event).map(({ block, removed }) => {
    const known = knownBlock(block)
    return { value: { block: known, removed }, block: removed ? undefined : known }
  }),
)

/** Which blocks are canonical after an event, as far as a filter has asked. */
const canonical = onceForEach(() => new Map<KnownBlock, boolean>())

function staysCanonical(chain: ChainView, block: KnownBlock, known: Map<KnownBlock, boolean>): boolean {
  let stays = known.get(block)
  if (stays === undefined) known.set(block, (stays = chain.isCanonical(block)))
  return stays
}

function knownBlock({ ordinal, hash, header: { number } }: StoredBlock): KnownBlock {
  return { ordinal, hash, header: { number } }
}

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
    (blocks) => printed(blocks, ({ hash }) => jsonBytes(hash)),
    first === undefined ? [] : [queuedBlock(first)],
  )
}

function queuedBlock(block: StoredBlock): QueuedValue<KnownBlock> {
  const known = knownBlock(block)
  return { value: known, block: known }
}

/** Values joined into one piece of an answer. */
const VALUES_AT_ONCE = 1000

/** Prints values as a JSON array. */
async function printed<T>(values: readonly T[], print: (value: T) => string): Promise<WireBytes> {
  const slice = new TimeSlice()
  const pieces: string[] = []
  for (let start = 0; start < values.length; start += VALUES_AT_ONCE) {
    await slice.pause()
    pieces.push(
      values
        .slice(start, start + VALUES_AT_ONCE)
        .map((value) => print(value))
        .join(','),
    )
  }
  return wireArray(pieces)
}

/** Creates a filter that collects transactions as they become executable: full objects or hashes. */
export function createPendingFilter(source: Source, { full }: { full: boolean }): Filter {
  return full
    ? collectingFilter('NewPendingTransactions', source, pendingTransactions, wireArray)
    : collectingFilter('NewPendingTransactions', source, pendingHashes, (hashes) =>
        printed(hashes, jsonBytes),
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
  let pastWeight = 0
  past?.now.then(
    ({ length }) => {
      pastWeight = length
    },
    () => undefined,
  )
  let watcher: FilterWatcher | undefined
  const endPast = source.events.subscribe(({ type }) => {
    if (pastLogs === undefined || (type !== 'rewound' && type !== 'replaced')) return
    watcher?.beforeChange()
    // If the range now starts beyond the head, the search fails: there are no logs.
    pastLogs = past?.repeat().catch(() => [])
  })
  const collect = (event: ChainEvent) =>
    queuedChanges(event).filter(({ value: { block } }) => inRange(block.header.number, logs))
  const print = async (changes: readonly { block: KnownBlock; removed: boolean }[]): Promise<WireBytes> => {
    const begin = pastLogs
    if (begin !== undefined) watcher?.beforeChange()
    pastLogs = undefined
    const found = [...((await begin) ?? [])]
    const slice = new TimeSlice()
    for (const { block: known, removed } of changes) {
      const block = source.chain.blockByHash(known.hash)
      if (block === undefined) continue
      for (const log of await changedLogs(source.chain, { block, removed }, logs)) found.push(log)
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
  const watch = (added: FilterWatcher): void => {
    watcher = added
    filter.watch(added)
  }
  const weight = (): number => filter.weight() + (pastLogs === undefined ? 0 : pastWeight)
  const end = (): void => {
    endPast()
    filter.end()
  }
  return { ...filter, save, watch, weight, end, logs }
}

function inRange(number: bigint, { fromBlock, toBlock }: FilterArguments): boolean {
  if (fromBlock !== undefined && 'number' in fromBlock && number < fromBlock.number) return false
  return toBlock === undefined || !('number' in toBlock) || number <= toBlock.number
}
