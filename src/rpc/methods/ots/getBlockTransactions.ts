import type { StoredBlock } from '../../../chain/block/record.js'
import type { ChainView } from '../../../chain/view.js'
import type { Steps } from '../../../encoding/timeSlice.js'
import { type PieceWriter, written } from '../../format/pieces.js'
import { defineMethod, required } from '../../method.js'
import { blockObject, shortReceipt, shortTransaction } from '../../otterscan/blockDetails.js'
import { otsBlock } from '../../params/blockSelector.js'
import { controlNumber } from '../../params/numbers.js'
import type { WirePiece } from '../../wire.js'
import { findBlock, noBlock } from '../findBlock.js'

/** Items read and written between two yields. */
const ITEMS_AT_ONCE = 256

/** Writes a block with some of its transactions, and their receipts. */
function* writePage(
  { view, block, begin, end }: { view: ChainView; block: StoredBlock; begin: number; end: number },
  writer: PieceWriter,
): Steps<void> {
  const wire = view.wire(block)
  const take = (pieces: readonly WirePiece[]): void => {
    for (const piece of pieces)
      writer.append(typeof piece === 'string' ? piece : Buffer.from(piece).toString())
  }
  const takeEach = function* (read: (from: number, to: number) => readonly WirePiece[][]): Steps<void> {
    for (let from = begin; from < end; from += ITEMS_AT_ONCE) {
      const items = read(from, Math.min(from + ITEMS_AT_ONCE, end))
      for (const [index, item] of items.entries()) take(from + index === begin ? item : [',', ...item])
      yield
    }
  }
  take(['{"fullblock":', ...blockObject(view, block), ',"transactions":['])
  yield* takeEach((from, to) => wire.transactionsBetween(from, to).map(shortTransaction))
  take([']},"receipts":['])
  const { timestamp } = block.header
  yield* takeEach((from, to) =>
    wire.receiptsBetween(from, to).map((receipt) => shortReceipt(receipt, timestamp)),
  )
  take([']}'])
}

/**
 * ots_getBlockTransactions: returns a page of a block's transactions, last ones first, with their receipts; or null.
 */
export const getBlockTransactions = defineMethod(
  'ots_getBlockTransactions',
  [required('block', otsBlock), required('page', controlNumber), required('pageSize', controlNumber)],
  (call, selector, page, pageSize) => {
    const { view } = call
    const block = findBlock(view, selector)
    if (block === undefined) return noBlock(call)
    const end = Math.max(0, block.transactions.length - Number(page * pageSize))
    const begin = Math.max(0, end - Number(pageSize))
    return written((writer) => writePage({ view, block, begin, end }, writer))
  },
)
