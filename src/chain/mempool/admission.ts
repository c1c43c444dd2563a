import { GAS_PER_BLOB } from '../block/fees.js'
import { TransactionRejectedError } from '../errors.js'
import { checkAtOnce } from './atOnceChecks.js'
import type { MempoolOptions } from './options.js'
import type { Entry, SenderQueue } from './senderQueue.js'
import { checkFeeCap, checkFunds, checkKind, checkNonce, checkReplacement } from './stateChecks.js'
import { maxFeePerGas, type PooledTransaction } from './transaction.js'

/**
 * Checks a transaction against the state of its sender and against what waits already.
 *
 * @param size - how many transactions wait
 * @returns the transaction whose place it takes, if any
 * @throws TransactionRejectedError in geth's words and order.
 */
export function admit(
  entry: Entry,
  queue: SenderQueue,
  { options, size }: { options: Required<MempoolOptions>; size: number },
): Entry | undefined {
  const baseFee = options.mineAtOnce()
  if (baseFee !== undefined) checkAtOnce(entry, queue, baseFee)
  checkFeeCap(entry, options.minimumFeeCap())
  checkNonce(entry, queue)
  if (!options.withoutFunds) checkFunds(entry, queue)
  checkKind(entry, queue)
  const replaced = queue.at(entry.transaction.nonce)
  if (replaced !== undefined) checkReplacement(entry, replaced, options)
  else if (size >= options.capacity) throw new TransactionRejectedError('txpool is full')
  return replaced
}

/** Wei that the sender of a transaction needs at most: gas, value and blobs. */
export function costOf(transaction: PooledTransaction['transaction']): bigint {
  const gas = transaction.gasLimit * maxFeePerGas(transaction)
  if (!('blobVersionedHashes' in transaction)) return gas + transaction.value
  const blobGas = BigInt(transaction.blobVersionedHashes.length) * GAS_PER_BLOB
  return gas + transaction.value + blobGas * transaction.maxFeePerBlobGas
}
