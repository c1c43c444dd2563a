import { ChainError } from '../errors.js'
import type { CallObject } from '../execution/callObject.js'
import type { PooledTransaction } from '../mempool/transaction.js'
import type { Wallet } from './wallet.js'

/** What a transaction that waits is sent again with. */
export interface ResendChange {
  /** Wei per gas. */
  gasPrice?: bigint | undefined
  gas?: bigint | undefined
}

/**
 * Signs a transaction again that waits already, with another gas price or gas limit (geth: internal/ethapi/api.go,
 * Resend). As in geth, a price means nothing to a transaction that does not have one, and zeros mean what was there.
 *
 * @param call - the transaction as it waits
 * @throws ChainError if its nonce is missing, or nothing that waits has these contents; and what {@link Wallet.prepare}
 *   throws.
 */
export async function resend(
  wallet: Wallet,
  call: CallObject,
  { gasPrice, gas }: ResendChange,
): Promise<PooledTransaction> {
  if (call.nonce === undefined) throw new ChainError('missing transaction nonce in transaction spec')
  const waiting = await wallet.findWaiting(call)
  return wallet.prepare({
    ...call,
    gas: gas || waiting.transaction.gasLimit,
    gasPrice: call.gasPrice === undefined ? undefined : gasPrice || call.gasPrice,
  })
}
