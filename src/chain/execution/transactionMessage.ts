import { fieldsOf } from '../mempool/fields.js'
import type { PooledTransaction } from '../mempool/transaction.js'
import { effectiveGasPrice, type Message } from './message.js'

/** The message of a transaction in a block of this base fee (wei per gas; undefined before London). */
export function messageFromTransaction(
  { transaction, sender }: Pick<PooledTransaction, 'transaction' | 'sender'>,
  baseFee: bigint | undefined,
): Message {
  const fields = fieldsOf(transaction)
  const { nonce, value, data, gasLimit, accessList, blobVersionedHashes, authorizationList } = fields
  const fees = {
    maxFeePerGas: fields.maxFeePerGas ?? fields.gasPrice ?? 0n,
    maxPriorityFeePerGas: fields.maxPriorityFeePerGas ?? fields.gasPrice ?? 0n,
  }
  return {
    from: sender,
    to: fields.to,
    nonce,
    value,
    data,
    gasLimit,
    ...fees,
    gasPrice: baseFee === undefined ? fees.maxFeePerGas : effectiveGasPrice(fees, baseFee),
    accessList,
    ...(blobVersionedHashes && { blobVersionedHashes, maxFeePerBlobGas: fields.maxFeePerBlobGas ?? 0n }),
    ...(authorizationList && { authorizationList }),
  }
}
