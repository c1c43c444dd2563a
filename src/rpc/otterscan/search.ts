import type { StoredBlock } from '../../chain/block/record.js'
import type { CallFrame } from '../../chain/tracing/callTracer.js'
import { bytesEqual } from '../../encoding/hex.js'
import { runInSlices, TimeSlice, type Pieces } from '../../encoding/timeSlice.js'
import { arrayPieces } from '../format/arrayPieces.js'
import { flattenCalls } from '../format/flatCalls.js'
import type { Call } from '../method.js'
import { traceBudget } from '../methods/traces.js'
import { eachFrame } from '../parity/blockFrames.js'
import { WireBytes, type WirePiece } from '../wire.js'
import { timedReceipt } from './shortObjects.js'

/** What a search is asked for. */
export interface SearchOrder {
  address: Uint8Array
  /** The block that it begins beside; undefined is beyond the end of the chain. */
  from: bigint | undefined
  direction: 'older' | 'newer'
  /** Whole blocks are looked at until so many transactions are found. */
  pageSize: number
}

/** The wire forms of a transaction that was found. */
interface Found {
  transaction: Uint8Array
  receipt: readonly WirePiece[]
}

/**
 * The transactions in which an account had a part, also within a call, the newest first; whole blocks, until a page is
 * full. `firstPage` tells whether there is nothing newer, `lastPage` whether there is nothing older.
 */
export async function searchTransactions(call: Call, order: SearchOrder): Promise<WireBytes> {
  const { view } = call
  const first = view.resolve({ tag: 'earliest' })?.header.number ?? 0n
  const head = view.head().header.number
  const step = order.direction === 'older' ? -1n : 1n
  const found: Found[] = []
  let number = order.from === undefined ? (step < 0n ? head : first) : order.from + step
  for (; number >= first && number <= head && found.length < order.pageSize; number += step) {
    const block = view.blockByNumber(number)
    if (block === undefined) break
    const indices = await transactionsWith(call, block, order.address)
    // Where a reset took the chain elsewhere meanwhile, the block is none of it any more.
    if (view.blockByHash(block.hash) === undefined) break
    const inBlock = wiresOf(call, block, indices)
    found.push(...(order.direction === 'older' ? inBlock.reverse() : inBlock))
  }
  const reachedEnd = number < first || number > head
  if (order.direction === 'newer') found.reverse()
  const isFirst = order.direction === 'older' ? order.from === undefined : reachedEnd
  const isLast = order.direction === 'older' ? reachedEnd : order.from === undefined
  return new WireBytes([
    '{"txs":',
    ...arrayPieces(found.map(({ transaction }) => [transaction])),
    ',"receipts":',
    ...arrayPieces(found.map(({ receipt }) => receipt)),
    `,"firstPage":${isFirst},"lastPage":${isLast}}`,
  ])
}

/** @param indices - rising */
function wiresOf({ view }: Call, block: StoredBlock, indices: readonly number[]): Found[] {
  const [begin, end] = [indices[0], indices.at(-1)]
  if (begin === undefined || end === undefined) return []
  const transactions = view.transactionWires(block, begin, end + 1)
  const receipts = view.receiptWires(block, begin, end + 1)
  return indices.map((index) => ({
    transaction: transactions[index - begin]!,
    receipt: timedReceipt(receipts[index - begin]!, block.header.timestamp),
  }))
}

async function transactionsWith(call: Call, block: StoredBlock, address: Uint8Array): Promise<number[]> {
  const indices: number[] = []
  const slice = new TimeSlice()
  await eachFrame(call, { block, budget: traceBudget(call, {}) }, async (top, index) => {
    if (await runInSlices(hasPart(address, top), slice)) indices.push(index)
  })
  return indices
}

/** Whether an account calls or is called within a frame. */
function* hasPart(address: Uint8Array, top: CallFrame): Pieces<boolean> {
  for (const { frame } of flattenCalls(top)) {
    if (bytesEqual(frame.from, address) || bytesEqual(frame.to, address)) return true
    yield
  }
  return false
}
