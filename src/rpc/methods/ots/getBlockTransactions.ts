import { arrayPieces } from '../../format/pieces.js'
import { defineMethod, required } from '../../method.js'
import { blockObject, shortReceipt, shortTransaction } from '../../otterscan/blockDetails.js'
import { otsBlock } from '../../params/blockSelector.js'
import { controlNumber } from '../../params/numbers.js'
import { WireBytes } from '../../wire.js'
import { findBlock, noBlock } from '../findBlock.js'

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
    const { timestamp } = block.header
    return new WireBytes([
      '{"fullblock":',
      ...blockObject(view, block),
      ',"transactions":',
      ...arrayPieces(view.wire(block).transactionsBetween(begin, end).map(shortTransaction)),
      '},"receipts":',
      ...arrayPieces(
        view
          .wire(block)
          .receiptsBetween(begin, end)
          .map((wire) => shortReceipt(wire, timestamp)),
      ),
      '}',
    ])
  },
)
