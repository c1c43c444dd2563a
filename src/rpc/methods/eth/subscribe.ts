import type { StoredBlock } from '../../../chain/block/record.js'
import type { PooledTransaction } from '../../../chain/mempool/transaction.js'
import type { ChainView } from '../../../chain/view.js'
import { bytesToPlainHex } from '../../../encoding/hex.js'
import { TimeSlice, TurnQueue } from '../../../encoding/timeSlice.js'
import { ServerError } from '../../errors.js'
import { blockWire, completeHeaderText } from '../../format/block.js'
import { jsonBytes } from '../../format/pieces.js'
import { transactionText } from '../../format/transaction.js'
import { checkNewLogRange, isWithoutBlocks } from '../../logQuery.js'
import { optional, required } from '../../method.js'
import { boolean, hash } from '../../params/bytes.js'
import { list, struct } from '../../params/combinators.js'
import { filter } from '../../params/filter.js'
import { MAX_CRITERIA, criteriaOf } from '../../subscriptions/filterStore.js'
import { type LogChange, changedLogs, logChanges } from '../../subscriptions/filters.js'
import { WireBytes, wireArray } from '../../wire.js'
import { defineKind, subscriptionMethods } from '../subscriptionMethods.js'

/** Maximum number of transactions per subscription (geth: eth/filters/api.go, maxTxHashes). */
const MAX_HASHES = 200

const query = struct(
  { struct: 'input', type: 'filters.input' },
  { transactionHashes: list(hash, '[]common.Hash') },
)

/**
 * Pushes the receipts of each new head as one array: all of them, or only those of the given transactions. Empty arrays
 * are not pushed, nor, like in geth, receipts of blocks that a reorganisation adds below the head.
 */
const transactionReceipts = defineKind(
  'transactionReceipts',
  [optional('filter', query)],
  ({ backend, report }, filter) => {
    const hashes = filter?.transactionHashes ?? []
    if (hashes.length > MAX_HASHES) {
      throw new ServerError(
        'exceed max number of transaction hashes allowed per transactionReceipts subscription',
      )
    }
    const wanted = new Set(hashes.map(bytesToPlainHex))
    return (push) =>
      backend.events.subscribe((event) => {
        if (event.type !== 'head') return
        const work = (): void => {
          const receipts = receiptsOf(backend.chain, event.block, wanted)
          if (receipts !== undefined) push(receipts.pieces)
        }
        queueOf(backend.events).add(work, (fault) => report('eth_subscribe', fault))
      })
  },
)

function receiptsOf(view: ChainView, block: StoredBlock, wanted: ReadonlySet<string>): WireBytes | undefined {
  if (block.transactions.length === 0) return undefined
  const wire = view.wire(block)
  if (wanted.size === 0) return new WireBytes(['[', wire.receipts(), ']'])
  const found = [...block.transactions.entries()]
    .filter(([, { hash: own }]) => wanted.has(bytesToPlainHex(own)))
    .map(([index]) => wire.receipt(index))
  return found.length === 0 ? undefined : wireArray(found)
}

/** Queue of a network's subscriptions: a thousand of them may each search every block for logs. */
const queues = new WeakMap<object, TurnQueue>()

function queueOf(events: object): TurnQueue {
  const queue = queues.get(events) ?? new TurnQueue()
  queues.set(events, queue)
  return queue
}

/** Number of addresses and topics in a network's subscriptions to logs. */
const openCriteria = new WeakMap<object, number>()

function countCriteria(events: object, change = 0): number {
  const count = (openCriteria.get(events) ?? 0) + change
  openCriteria.set(events, count)
  return count
}

/** Pushes matching new logs one by one, and those removed by a reorganisation. */
export const logs = defineKind('logs', [required('filter', filter)], (call, criteria) => {
  checkNewLogRange(call, criteria)
  const { backend, report } = call
  if (isWithoutBlocks(criteria)) return () => () => undefined
  const size = criteriaOf(criteria)
  if (countCriteria(backend.events) + size > MAX_CRITERIA) {
    throw new ServerError('too many addresses and topics in subscriptions')
  }
  return (push) => {
    countCriteria(backend.events, size)
    const queue = queueOf(backend.events)
    /** Changes to push, and those pushed since the list was last empty. */
    const changes: LogChange[] = []
    async function pushAll(): Promise<void> {
      const slice = new TimeSlice()
      for (let index = 0; index < changes.length; index++) {
        await slice.pause()
        await pushLogs(changes[index] as LogChange, slice).catch((fault: unknown) =>
          report('eth_subscribe', fault),
        )
      }
      changes.length = 0
    }
    async function pushLogs(change: LogChange, slice: TimeSlice): Promise<void> {
      for (const log of await changedLogs(backend.chain, change, criteria)) {
        const pause = slice.pause()
        if (pause !== undefined) await pause
        if (changes.length === 0) return
        push([log])
      }
    }
    // One task for all changes: blocks may come faster than thousands of subscriptions search them.
    const unsubscribe = backend.events.subscribe((event) => {
      const isWaiting = changes.length > 0
      for (const change of logChanges(event)) changes.push(change)
      if (isWaiting || changes.length === 0) return
      queue.add(pushAll, (fault) => report('eth_subscribe', fault))
    })
    return () => {
      changes.length = 0
      countCriteria(backend.events, -size)
      unsubscribe()
    }
  }
})

/** Caches the text of the latest event for the thousands of subscriptions that may push it. */
function cacheLatest<Subject extends object>(
  make: (subject: Subject) => string,
): (subject: Subject) => string {
  let last: { subject: Subject; text: string } | undefined
  return (subject) => {
    if (last?.subject !== subject) last = { subject, text: make(subject) }
    return last.text
  }
}

const headTextOf = cacheLatest(({ hash, header }: StoredBlock) => completeHeaderText(hash, header))
const pendingTextOf = cacheLatest((transaction: PooledTransaction) => transactionText(transaction, undefined))

/** Pushes transactions that become executable: their hashes, or full objects with `true`. */
const newPendingTransactions = defineKind(
  'newPendingTransactions',
  [optional('fullTransactions', boolean)],
  ({ backend }, full = false) =>
    (push) =>
      backend.events.subscribe((event) => {
        if (event.type !== 'pending') return
        push([full ? pendingTextOf(event.transaction) : jsonBytes(event.transaction.hash)])
      }),
)

/** Pushes the header of each new head, in hardhat the block; of several blocks added at once, only the last. */
const newHeads = defineKind('newHeads', [], ({ backend }) => {
  const { compatibility, totalDifficulty } = backend.settings
  const shape = { fullTransactions: false, totalDifficulty }
  return (push) =>
    backend.events.subscribe((event) => {
      if (event.type !== 'head') return
      const { block } = event
      push(compatibility.headsAreBlocks ? blockWire(backend.chain, block, shape).pieces : [headTextOf(block)])
    })
})

/** Pushes when sync with other nodes starts or stops, which never happens here. */
const syncing = defineKind('syncing', [], () => () => () => undefined)

const kinds = [newHeads, logs, newPendingTransactions, syncing, transactionReceipts]

/**
 * eth_subscribe: starts pushing events of a kind and returns the subscription id. Further parameters depend on the
 * kind. eth_unsubscribe: ends a subscription of this connection; in hardhat, an unknown one is no error.
 */
export const [subscribe, unsubscribe] = subscriptionMethods('eth', kinds)
