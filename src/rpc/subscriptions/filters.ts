import { EMPTY_BLOOM } from '../../chain/block/body.js'
import type { BlockPosition, StoredBlock } from '../../chain/block/record.js'
import type { ChainEvent } from '../../chain/reader.js'
import type { ChainView } from '../../chain/view.js'
import type { Requester } from '../../chain/vm/blockEnvironment.js'
import { bytesEqual } from '../../encoding/hex.js'
import { type Awaitable, type Steps, TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import type { Backend } from '../backend.js'
import { removedLog } from '../format/log.js'
import { jsonBytes, writtenTexts } from '../format/pieces.js'
import { transactionText } from '../format/transaction.js'
import type { FilterArguments } from '../params/filter.js'
import { WireBytes, type WirePiece, appendPieces, joinStrings, wireArray } from '../wire.js'
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
  return !bytesEqual(header.logsBloom, EMPTY_BLOOM)
}

/**
 * Returns a changed block's logs that match a filter, in wire form.
 *
 * @param requester - the request that holds them until it is answered
 */
export async function changedLogs(
  view: ChainView,
  { block, removed }: LogChange,
  { addresses, topics }: Pick<FilterArguments, 'addresses' | 'topics'>,
  requester?: Requester,
): Promise<readonly Uint8Array[]> {
  const limits = { maxResults: Infinity, timeoutMilliseconds: Infinity, requester }
  const logs = await view.logs({ range: { block }, addresses, topics }, limits)
  return removed ? runInSlices(removedLogs(logs), new TimeSlice()) : logs
}

/** Logs copied between two yields. */
const LOGS_AT_ONCE = 512

function* removedLogs(logs: readonly Uint8Array[]): Steps<Uint8Array[]> {
  const copies: Uint8Array[] = []
  for (const log of logs) {
    if (copies.push(removedLog(log)) % LOGS_AT_ONCE === 0) yield
  }
  return copies
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

/** Drops the values from blocks that left the chain: all since the newest that is still canonical. */
function remaining<T>(
  values: readonly QueuedValue<T>[],
  isCanonical: (block: KnownBlock) => boolean,
): QueuedValue<T>[] {
  const last = values.findLastIndex(({ block }) => block !== undefined && isCanonical(block))
  return values.filter(({ block }, index) => block === undefined || index <= last)
}

/** A poll in progress. */
interface Poll {
  requester: Requester | undefined
  /** Leaves the values from an index on to the next poll. */
  putBack(index: number): void
}

/**
 * Creates a filter that collects values from events until polled. Values from blocks that a revert rolls back are
 * dropped, as if they had never existed: all since the newest that is still canonical.
 */
function collectingFilter<T>(
  kind: FilterKind,
  { events, chain }: Source,
  collect: (event: ChainEvent) => readonly QueuedValue<T>[],
  print: (collected: readonly T[], poll: Poll) => Awaitable<WireBytes>,
  first: readonly QueuedValue<T>[] = [],
): Filter {
  let queued = [...first]
  let weight = weightOf(first)
  let watcher: FilterWatcher | undefined
  /** Numbers of events that dropped some or all values. */
  let [rewinds, replacements] = [0, 0]
  const set = (values: QueuedValue<T>[]): void => {
    queued = values
    weight = weightOf(values)
  }
  const replace = (values: QueuedValue<T>[]): void => {
    if (queued.length === 0 && values.length === 0) return
    watcher?.beforeChange()
    set(values)
  }
  const append = (values: readonly QueuedValue<T>[]): void => {
    if (values.length === 0) return
    watcher?.beforeChange()
    for (const value of values) queued.push(value)
    const added = weightOf(values)
    weight += added
    watcher?.grown(added)
  }
  const end = events.subscribe((event) => {
    if (event.type === 'replaced') {
      replacements++
      replace([])
    } else if (event.type === 'rewound') {
      rewinds++
      const known = canonical(event)
      replace(remaining(queued, (block) => staysCanonical(chain, block, known)))
    } else append(collect(event))
  })
  return {
    kind,
    poll: (requester) => {
      const taken = queued
      const before = { rewinds, replacements }
      replace([])
      const putBack = (index: number): void => {
        if (replacements !== before.replacements) return
        const rest = taken.slice(index)
        const left = rewinds === before.rewinds ? rest : remaining(rest, (block) => chain.isCanonical(block))
        replace([...left, ...queued])
        watcher?.grown(weightOf(left))
      }
      const collected = taken.map(({ value }) => value)
      return print(collected, { requester, putBack })
    },
    save: () => {
      // Lists only grow, or are replaced.
      const [saved, { length }] = [queued, queued]
      return () => set(saved.slice(0, length))
    },
    watch: (added) => {
      watcher = added
    },
    weight: () => weight,
    end,
  }
}

/**
 * Makes the values of an event once for all filters, as thousands of them may keep what came with thousands of blocks.
 */
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
    (blocks) => writtenTexts(blocks, ({ hash }) => jsonBytes(hash)),
    first === undefined ? [] : [queuedBlock(first)],
  )
}

function queuedBlock(block: StoredBlock): QueuedValue<KnownBlock> {
  const known = knownBlock(block)
  return { value: known, block: known }
}

/** Creates a filter that collects transactions as they become executable: full objects or hashes. */
export function createPendingFilter(source: Source, { full }: { full: boolean }): Filter {
  return full
    ? collectingFilter('NewPendingTransactions', source, pendingTransactions, (texts) =>
        writtenTexts(texts, (text) => text),
      )
    : collectingFilter('NewPendingTransactions', source, pendingHashes, (hashes) =>
        writtenTexts(hashes, jsonBytes),
      )
}

/** Joins logs of many blocks into an array; few of them are encoded at once. */
class LogsWriter {
  readonly #pieces: WirePiece[] = ['[']
  /** Pieces yet to be joined, and their length. */
  #latest: WirePiece[] = []
  #length = 0
  /** Length of everything added. */
  bytes = 0

  add(logs: readonly Uint8Array[]): void {
    if (logs.length === 0) return
    if (this.bytes > 0) this.#latest.push(',')
    const length = appendPieces(this.#latest, wireArray(logs).pieces.slice(1, -1))
    this.bytes += length
    this.#length += length
    if (this.#length >= JOINED_BYTES) this.#join()
  }

  wire(): WireBytes {
    this.#join()
    return new WireBytes([...this.#pieces, ']'])
  }

  #join(): void {
    appendPieces(this.#pieces, joinStrings(this.#latest))
    this.#latest = []
    this.#length = 0
  }
}

/** Bytes of logs joined in one step. */
const JOINED_BYTES = 256 * 1024
/** Bytes of logs in an answer after which all later logs are left to the next poll. */
const POLLED_BYTES = 32 * 1024 * 1024

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
  const print = async (
    changes: readonly { block: KnownBlock; removed: boolean }[],
    { requester, putBack }: Poll,
  ): Promise<WireBytes> => {
    const begin = pastLogs
    if (begin !== undefined) watcher?.beforeChange()
    pastLogs = undefined
    const writer = new LogsWriter()
    writer.add((await begin) ?? [])
    const slice = new TimeSlice()
    for (const [index, { block: known, removed }] of changes.entries()) {
      const pause = slice.pause()
      if (pause !== undefined) await pause
      if (writer.bytes > POLLED_BYTES) {
        putBack(index)
        break
      }
      const block = source.chain.blockByHash(known.hash)
      if (block === undefined) continue
      writer.add(await changedLogs(source.chain, { block, removed }, logs, requester))
    }
    return writer.wire()
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
