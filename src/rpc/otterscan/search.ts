import type { StoredBlock } from '../../chain/block/record.js'
import type { CallFrame } from '../../chain/tracing/callTracer.js'
import { bytesEqual } from '../../encoding/hex.js'
import { runInSlices, TimeSlice, type Pieces } from '../../encoding/timeSlice.js'
import { flattenCalls } from '../format/flatCalls.js'
import type { JsonValue } from '../json.js'
import type { Call } from '../method.js'
import { traceBudget } from '../methods/traces.js'
import { eachFrame } from '../parity/blockFrames.js'
import { receiptsOf, transactionsOf, type Members } from './blockMembers.js'

/** What a search is asked for. */
export interface SearchOrder {
  address: Uint8Array
  /** The block that it begins beside; undefined is beyond the end of the chain. */
  from: bigint | undefined
  direction: 'older' | 'newer'
  /** Whole blocks are looked at until so many transactions are found. */
  pageSize: number
}

/**
 * The transactions in which an account had a part, also within a call, the newest first; whole blocks, until a page is
 * full. `firstPage` tells whether there is nothing newer, `lastPage` whether there is nothing older.
 */
export async function searchTransactions(call: Call, order: SearchOrder): Promise<JsonValue> {
  const { view } = call
  const first = view.resolve({ tag: 'earliest' })?.header.number ?? 0n
  const head = view.head().header.number
  const step = order.direction === 'older' ? -1n : 1n
  const txs: Members[] = []
  const receipts: Members[] = []
  let number = order.from === undefined ? (step < 0n ? head : first) : order.from + step
  for (; number >= first && number <= head && txs.length < order.pageSize; number += step) {
    const block = view.blockByNumber(number)
    if (block === undefined) break
    const indices = await transactionsWith(call, block, order.address)
    const found = indices.toReversed()
    const [all, outcomes] = [transactionsOf(view, block), receiptsOf(view, block)]
    const add = (list: Members[], from: readonly Members[]): void => {
      const picked = found.map((index) => from[index]).filter((item) => item !== undefined)
      if (order.direction === 'older') list.push(...picked)
      else list.unshift(...picked)
    }
    add(txs, all)
    add(receipts, outcomes)
  }
  const reachedEnd = number < first || number > head
  return {
    txs,
    receipts,
    firstPage: order.direction === 'older' ? order.from === undefined : reachedEnd,
    lastPage: order.direction === 'older' ? reachedEnd : order.from === undefined,
  }
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
