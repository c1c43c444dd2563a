import { jsonBytes } from '../../../format/members.js'
import { transactionText } from '../../../format/transaction.js'
import { optional } from '../../../method.js'
import { boolean } from '../../../params/boolean.js'
import { defineKind } from './kind.js'

/** Pushes each transaction that became executable: its hash, or with `true` the whole object. */
export const newPendingTransactions = defineKind(
  'newPendingTransactions',
  [optional('fullTransactions', boolean)],
  ({ backend }, full = false) =>
    (push) =>
      backend.events.subscribe((event) => {
        if (event.type !== 'pending') return
        const { transaction } = event
        push([full ? transactionText(transaction, undefined) : jsonBytes(transaction.hash)])
      }),
)
