import { defineMethod, required } from '../../method.js'
import { otterscanBlock, receiptsOf, transactionsOf } from '../../otterscan/blockMembers.js'
import { controlNumber } from '../../params/controlNumber.js'
import { otsBlock } from '../../params/otsBlock.js'
import { findBlock } from '../findBlock.js'

/** Digits that are left of a transaction's data: 0x and the selector. */
const SELECTOR_DIGITS = 10

/** ots_getBlockTransactions: a page of a block's transactions, the last ones first, and their receipts; or null. */
export const getBlockTransactions = defineMethod(
  'ots_getBlockTransactions',
  [required('block', otsBlock), required('page', controlNumber), required('pageSize', controlNumber)],
  ({ view }, selector, page, pageSize) => {
    const block = findBlock(view, selector)
    if (block === undefined) return null
    const end = Math.max(0, block.transactions.length - Number(page * pageSize))
    const begin = Math.max(0, end - Number(pageSize))
    const transactions = transactionsOf(view, block).slice(begin, end)
    const receipts = receiptsOf(view, block).slice(begin, end)
    return {
      fullblock: {
        ...otterscanBlock(view, block),
        transactions: transactions.map((transaction) => ({
          ...transaction,
          input: String(transaction['input']).slice(0, SELECTOR_DIGITS),
        })),
      },
      receipts: receipts.map(({ logs: _, logsBloom: __, ...receipt }) => ({
        ...receipt,
        logs: null,
        logsBloom: null,
      })),
    }
  },
)
