import { defineMethod, required } from '../../method.js'
import { searchTransactions } from '../../otterscan/search.js'
import { address } from '../../params/bytes.js'
import { controlNumber } from '../../params/numbers.js'

/** ots_searchTransactionsBefore: the transactions of an account before a block; with block 0 the newest ones. */
export const searchTransactionsBefore = defineMethod(
  'ots_searchTransactionsBefore',
  [required('address', address), required('block', controlNumber), required('pageSize', controlNumber)],
  (call, account, number, pageSize) =>
    searchTransactions(call, {
      address: account,
      from: number === 0n ? undefined : number,
      direction: 'older',
      pageSize: Number(pageSize),
    }),
)

/** ots_searchTransactionsAfter: the transactions of an account after a block; with block 0 the oldest ones. */
export const searchTransactionsAfter = defineMethod(
  'ots_searchTransactionsAfter',
  [required('address', address), required('block', controlNumber), required('pageSize', controlNumber)],
  (call, account, number, pageSize) =>
    searchTransactions(call, {
      address: account,
      from: number === 0n ? undefined : number,
      direction: 'newer',
      pageSize: Number(pageSize),
    }),
)
