import { checksumAddress } from '../../chain/address.js'
import type { PooledTransaction } from '../../chain/mempool/transaction.js'
import { maxFeePerGas } from '../../chain/mempool/transaction.js'
import type { PoolQueues } from '../backend.js'
import { printJson } from '../json.js'
import { transactionText } from './transaction.js'

/** Prints one waiting transaction as JSON text. */
type Printer = (transaction: PooledTransaction) => string

/** A waiting transaction as an object. */
export const pooledText: Printer = (transaction) => transactionText(transaction, undefined)

/** A waiting transaction in one line (geth: internal/ethapi/api.go, TxPoolAPI.Inspect). */
export const pooledSummary: Printer = ({ transaction }) => {
  const { to, value, gasLimit } = transaction
  const target = to === undefined ? 'contract creation' : checksumAddress(to.bytes)
  return printJson(`${target}: ${value} wei + ${gasLimit} gas × ${maxFeePerGas(transaction)} wei`)
}

/** Those of one sender, by their nonces in decimals. */
export function queuesText(
  { pending, queued }: Pick<PoolQueues, 'pending' | 'queued'>,
  print: Printer,
): string {
  return `{"pending":${byNonce(pending, print)},"queued":${byNonce(queued, print)}}`
}

/** Those of all senders, by their addresses with checksums. */
export function poolText(senders: readonly PoolQueues[], print: Printer): string {
  const part = (which: 'pending' | 'queued'): string => {
    const members = senders
      .filter((queues) => queues[which].length > 0)
      .map((queues) => `"${checksumAddress(queues.sender)}":${byNonce(queues[which], print)}`)
    return `{${members.join(',')}}`
  }
  return `{"pending":${part('pending')},"queued":${part('queued')}}`
}

function byNonce(transactions: readonly PooledTransaction[], print: Printer): string {
  return `{${transactions.map((pooled) => `"${pooled.transaction.nonce}":${print(pooled)}`).join(',')}}`
}
