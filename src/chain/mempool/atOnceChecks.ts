import { TransactionRejectedError } from '../errors.js'
import type { SenderQueue } from './senderQueue.js'
import { maxFeePerGas, type PooledTransaction } from './transaction.js'

/**
 * Checks that the next block can take a transaction: its nonce is the next one, and its fee reaches the base fee. The
 * refusals are those of hardhat under automine (EDR: edr_provider, data.rs), word by word.
 *
 * @param baseFee - of the next block, in wei per gas
 * @throws TransactionRejectedError
 */
export function checkAtOnce(
  { transaction }: Pick<PooledTransaction, 'transaction'>,
  { nextNonce }: Pick<SenderQueue, 'nextNonce'>,
  baseFee: bigint,
): void {
  const { nonce } = transaction
  if (nonce !== nextNonce) {
    throw new TransactionRejectedError(
      `Nonce too ${nonce < nextNonce ? 'low' : 'high'}. Expected nonce to be ${nextNonce} but got ${nonce}. ` +
        "Note that transactions can't be queued when automining.",
    )
  }
  const fee = maxFeePerGas(transaction)
  if (fee >= baseFee) return
  const name = 'maxFeePerGas' in transaction ? 'maxFeePerGas' : 'gasPrice'
  throw new TransactionRejectedError(
    `Transaction ${name} (${fee}) is too low for the next block, which has a baseFeePerGas of ${baseFee}`,
  )
}
