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
import { WireBytes, joinPieces } from '../../wire.js'
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
  transactions: Uint8Array
  receipts: Uint8Array
}

/**
 * Finds transactions that involve an account, even in an internal call, newest first, in whole blocks until a page is
 * full. `firstPage` says whether there is nothing newer, `lastPage` whether there is nothing older.
 */
export async function searchTransactions(call: Call, order: SearchOrder): Promise<WireBytes> {
  const found: Found[] = []
  let count = 0
  let reachedEnd = true
  for await (const block of blocksOf(call, order)) {
    if (count >= order.pageSize) {
      reachedEnd = false
      break
    }
    const indices = await transactionsWith(call, block, order.address)
    // The block may have left the chain through a reset in the meantime.
    if (call.view.blockByHash(block.hash) === undefined) break
    if (indices.length === 0) continue
    found.push(wireOf(call, block, indices))
    count += indices.length
  }
  if (order.direction === 'newer') found.reverse()
  const isFirst = order.direction === 'older' ? order.from === undefined : reachedEnd
  const isLast = order.direction === 'older' ? reachedEnd : order.from === undefined
  return new WireBytes([
    '{"txs":',
    ...arrayPieces(found.map(({ transactions }) => [transactions])),
    ',"receipts":',
    ...arrayPieces(found.map(({ receipts }) => [receipts])),
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

/** @param indices - in ascending order, at least one */
function wireOf({ view }: Call, block: StoredBlock, indices: readonly number[]): Found {
  const [begin = 0, end = begin] = [indices[0], indices.at(-1)]
  const wire = view.wire(block)
  const transactions = wire.transactionsBetween(begin, end + 1)
  const receipts = wire.receiptsBetween(begin, end + 1)
  const newestFirst = indices.map((index) => index - begin).reverse()
  const { timestamp } = block.header
  return {
    transactions: joinPieces(separated(newestFirst.map((at) => [transactions[at]!]))),
    receipts: joinPieces(separated(newestFirst.map((at) => timedReceipt(receipts[at]!, timestamp)))),
  }
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
