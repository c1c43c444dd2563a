import type { StoredBlock } from '../../../chain/block/record.js'
import type { CallFrame } from '../../../chain/tracing/callTracer.js'
import { bytesEqual } from '../../../encoding/hex.js'
import { type Steps, TimeSlice, runInSlices } from '../../../encoding/timeSlice.js'
import { arrayPieces, separated } from '../../format/pieces.js'
import { type Call, type Method, defineMethod, required } from '../../method.js'
import { timedReceipt } from '../../otterscan/blockDetails.js'
import { address } from '../../params/bytes.js'
import { controlNumber } from '../../params/numbers.js'
import { eachFrame } from '../../parity/parityTrace.js'
import { flattenCalls } from '../../tracers/flatCallTracer.js'
import { WireBytes, type WirePiece, joinPieces } from '../../wire.js'
import { traceBudget } from '../traces.js'

/** Parameters of a search. */
export interface SearchOrder {
  address: Uint8Array
  /** Block next to which the search starts; undefined means from the end of the chain. */
  from: bigint | undefined
  direction: 'older' | 'newer'
  /** Whole blocks are searched until at least this many transactions are found. */
  pageSize: number
}

/**
 * Matches in one block, newest first. Transactions and receipts are joined with commas right away, so that little work
 * is left at the end.
 */
interface Found {
  transactions: readonly WirePiece[]
  receipts: readonly WirePiece[]
}

/** Transactions read and joined between two yields. */
const ITEMS_AT_ONCE = 256

/**
 * Finds transactions that involve an account, even in an internal call, newest first, in whole blocks until a page is
 * full. `firstPage` says whether there is nothing newer, `lastPage` whether there is nothing older.
 */
async function searchTransactions(call: Call, order: SearchOrder): Promise<WireBytes> {
  const slice = new TimeSlice()
  const found: Found[] = []
  let count = 0
  let reachedEnd = true
  for await (const block of blocksOf(call, order)) {
    if (count >= order.pageSize) {
      reachedEnd = false
      break
    }
    const indices = await transactionsWith(call, block, order.address)
    const wire = await runInSlices(wireOf(call, block, indices), slice)
    if (wire === undefined) break
    if (indices.length === 0) continue
    found.push(wire)
    count += indices.length
  }
  if (order.direction === 'newer') found.reverse()
  const isFirst = order.direction === 'older' ? order.from === undefined : reachedEnd
  const isLast = order.direction === 'older' ? reachedEnd : order.from === undefined
  return new WireBytes([
    '{"txs":',
    ...arrayPieces(found.map(({ transactions }) => transactions)),
    ',"receipts":',
    ...arrayPieces(found.map(({ receipts }) => receipts)),
    `,"firstPage":${isFirst},"lastPage":${isLast}}`,
  ])
}

/** Returns the blocks to search, starting next to `from`. */
function blocksOf({ view }: Call, { direction, from: start }: SearchOrder): AsyncIterable<StoredBlock> {
  const first = view.resolve({ tag: 'earliest' })?.header.number ?? 0n
  const head = view.head().header.number
  const isOlder = direction === 'older'
  if (!isOlder)
    return view.blocksWithTransactions({ from: start === undefined ? first : start + 1n, to: head })
  const from = start === undefined || start > head ? head : start - 1n
  return view.blocksWithTransactions({ from, to: first })
}

/**
 * Reads the transactions of a block, and their receipts.
 *
 * @param indices - in ascending order
 * @returns undefined if the block has left the chain, as by a reset
 */
function* wireOf({ view }: Call, block: StoredBlock, indices: readonly number[]): Steps<Found | undefined> {
  const { timestamp } = block.header
  const [transactions, receipts]: [WirePiece[][], WirePiece[][]] = [[], []]
  for (let end = indices.length; end > 0; end -= ITEMS_AT_ONCE) {
    if (view.blockByHash(block.hash) === undefined) return undefined
    const wire = view.wire(block)
    const group = indices.slice(Math.max(0, end - ITEMS_AT_ONCE), end)
    const [begin = 0, last = begin] = [group[0], group.at(-1)]
    const newestFirst = group.map((index) => index - begin).reverse()
    const objects = wire.transactionsBetween(begin, last + 1)
    transactions.push([joinPieces(separated(newestFirst.map((at) => [objects[at]!])))])
    const results = wire.receiptsBetween(begin, last + 1)
    receipts.push([joinPieces(separated(newestFirst.map((at) => timedReceipt(results[at]!, timestamp))))])
    yield
  }
  return { transactions: separated(transactions), receipts: separated(receipts) }
}

async function transactionsWith(call: Call, block: StoredBlock, address: Uint8Array): Promise<number[]> {
  const indices: number[] = []
  const slice = new TimeSlice()
  await eachFrame(call, { block, budget: traceBudget(call) }, async (top, index) => {
    if (await runInSlices(hasPart(address, top), slice)) indices.push(index)
  })
  return indices
}

/** Whether an account calls or is called within a frame. */
function* hasPart(address: Uint8Array, top: CallFrame): Steps<boolean> {
  for (const { frame } of flattenCalls(top)) {
    if (bytesEqual(frame.from, address) || bytesEqual(frame.to, address)) return true
    yield
  }
  return false
}

function defineSearch(name: string, direction: SearchOrder['direction']): Method {
  return defineMethod(
    name,
    [required('address', address), required('block', controlNumber), required('pageSize', controlNumber)],
    (call, account, number, pageSize) =>
      searchTransactions(call, {
        address: account,
        from: number === 0n ? undefined : number,
        direction,
        pageSize: Number(pageSize),
      }),
  )
}

/** ots_searchTransactionsBefore: returns an account's transactions before a block; for block 0 the newest ones. */
export const searchTransactionsBefore = defineSearch('ots_searchTransactionsBefore', 'older')

/** ots_searchTransactionsAfter: returns an account's transactions after a block; for block 0 the oldest ones. */
export const searchTransactionsAfter = defineSearch('ots_searchTransactionsAfter', 'newer')
