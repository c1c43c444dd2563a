import { EMPTY_BLOOM } from '../../chain/block/body.js'
import type { StoredBlock } from '../../chain/block/record.js'
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
import { type Collector, FilterQueue, type KnownBlock, type QueuedValue } from './filterFeed.js'
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

type Source = Pick<Backend, 'chain' | 'filterFeed'>

const newHeads: Collector<KnownBlock> = {
  collect: (event) => (event.type === 'head' ? [queuedBlock(event.block)] : []),
  fromBlocks: true,
}
const pendingTransactions: Collector<string> = {
  collect: (event) => {
    if (event.type !== 'pending') return []
    const value = transactionText(event.transaction, undefined)
    return [{ value, weight: Math.ceil(value.length / 100) }]
  },
  fromBlocks: false,
}
const pendingHashes: Collector<Uint8Array> = {
  collect: (event) => (event.type === 'pending' ? [{ value: event.transaction.hash }] : []),
  fromBlocks: false,
}
const queuedChanges: Collector<KnownChange> = {
  collect: (event) =>
    logChanges(event).map(({ block, removed }) => {
      const known = knownBlock(block)
      return { value: { block: known, removed }, block: removed ? undefined : known }
    }),
  fromBlocks: true,
}

/** A block whose logs joined or left the canonical chain, as a filter keeps it. */
interface KnownChange {
  block: KnownBlock
  removed: boolean
}

function knownBlock({ ordinal, hash, header: { number } }: StoredBlock): KnownBlock {
  return { ordinal, hash, header: { number } }
}

/** Creates a filter whose polls return everything that a collector has found since the last one. */
function createQueueFilter<T>(
  kind: FilterKind,
  { filterFeed }: Source,
  collector: Collector<T>,
  print: (values: readonly T[]) => Awaitable<WireBytes>,
  first: readonly QueuedValue<T>[] = [],
): Filter {
  const queue = new FilterQueue(first)
  return {
    kind,
    poll: () => print(queue.take().values),
    save: () => queue.save(),
    watch: (watcher) => queue.watch(watcher),
    weight: () => queue.weight,
    end: filterFeed.subscribe(collector, queue),
  }
}

/**
 * Creates a filter that collects the hashes of new heads.
 *
 * @param first - block that the first poll starts with
 */
export function createBlockFilter(source: Source, first?: StoredBlock): Filter {
  return createQueueFilter(
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
    ? createQueueFilter('NewPendingTransactions', source, pendingTransactions, (texts) =>
        writtenTexts(texts, (text) => text),
      )
    : createQueueFilter('NewPendingTransactions', source, pendingHashes, (hashes) =>
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
  const repeatPast = (): void => {
    if (pastLogs === undefined) return
    watcher?.beforeChange()
    // If the range now starts beyond the head, the search fails: there are no logs.
    pastLogs = past?.repeat().catch(() => [])
  }
  const queue = new FilterQueue<KnownChange>()
  const end = source.filterFeed.subscribe(queuedChanges, {
    append: (values) => {
      const inside = values.filter(({ value }) => inRange(value.block.header.number, logs))
      if (inside.length > 0) queue.append(inside, inside.length)
    },
    rewind: (isCanonical) => {
      repeatPast()
      queue.rewind(isCanonical)
    },
    clear: () => {
      repeatPast()
      queue.clear()
    },
  })
  const poll = async (requester?: Requester): Promise<WireBytes> => {
    const [{ values, putBack }, begin] = [queue.take(), pastLogs]
    if (begin !== undefined) watcher?.beforeChange()
    pastLogs = undefined
    const writer = new LogsWriter()
    writer.add((await begin) ?? [])
    const slice = new TimeSlice()
    for (const [index, { block: known, removed }] of values.entries()) {
      const pause = slice.pause()
      if (pause !== undefined) await pause
      if (writer.bytes > POLLED_BYTES) {
        putBack(index, (block) => source.chain.isCanonical(block))
        break
      }
      const block = source.chain.blockByHash(known.hash)
      if (block === undefined) continue
      writer.add(await changedLogs(source.chain, { block, removed }, logs, requester))
    }
    return writer.wire()
  }
  return {
    kind: 'Logs',
    poll,
    save: () => {
      const [restore, saved] = [queue.save(), pastLogs]
      return () => {
        restore()
        pastLogs = saved
      }
    },
    watch: (added) => {
      watcher = added
      queue.watch(added)
    },
    weight: () => queue.weight + (pastLogs === undefined ? 0 : pastWeight),
    end,
    logs,
  }
}

function inRange(number: bigint, { fromBlock, toBlock }: FilterArguments): boolean {
  if (fromBlock !== undefined && 'number' in fromBlock && number < fromBlock.number) return false
  return toBlock === undefined || !('number' in toBlock) || number <= toBlock.number
}
