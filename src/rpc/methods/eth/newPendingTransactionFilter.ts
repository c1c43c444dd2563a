import { boolean } from '../../params/boolean.js'
import { createPendingFilter } from '../../subscriptions/filters.js'
import { defineMethod, optional } from '../../method.js'

/** eth_newPendingTransactionFilter: makes a filter of transactions that became executable. */
export const newPendingTransactionFilter = defineMethod(
  'eth_newPendingTransactionFilter',
  [optional('fullTransactions', boolean)],
  ({ backend, filters }, full = false) => filters.add(createPendingFilter(backend, { full })),
)
