import { accessListOf, authorizationListOf } from '../mempool/fields.js'
import { maxFeePerGas, maxPriorityFeePerGas, type PooledTransaction } from '../mempool/transaction.js'
import { hexToBytes } from '../../encoding/hex.js'
import { effectiveGasPrice, type Message } from './message.js'

/** The message of a transaction in a block of this base fee (wei per gas; undefined before London). */
export function messageFromTransaction(
  { transaction, sender }: Pick<PooledTransaction, 'transaction' | 'sender'>,
  baseFee: bigint | undefined,
): Message {
  const fees = {
    maxFeePerGas: maxFeePerGas(transaction),
    maxPriorityFeePerGas: maxPriorityFeePerGas(transaction),
  }
  const message: Message = {
    from: sender,
    to: transaction.to?.bytes,
    nonce: transaction.nonce,
    value: transaction.value,
    data: transaction.data,
    gasLimit: transaction.gasLimit,
    gasPrice: baseFee === undefined ? fees.maxFeePerGas : effectiveGasPrice(fees, baseFee),
    maxFeePerGas: fees.maxFeePerGas,
    maxPriorityFeePerGas: fees.maxPriorityFeePerGas,
    accessList: 'accessList' in transaction ? accessListOf(transaction) : [],
  }
  if ('blobVersionedHashes' in transaction) {
    message.blobVersionedHashes = transaction.blobVersionedHashes.map(hexToBytes)
    message.maxFeePerBlobGas = transaction.maxFeePerBlobGas
  }
  if ('authorizationList' in transaction) {
    message.authorizationList = authorizationListOf(transaction)
  }
  return message
}
