import { defineMethod, required } from '../../method.js'
import { searchTransactions } from '../../otterscan/search.js'
import { address } from '../../params/address.js'
import { controlNumber } from '../../params/controlNumber.js'

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
