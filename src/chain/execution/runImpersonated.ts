import type { PooledTransaction } from '../mempool/transaction.js'
import type { MessageChecks } from './preCheck.js'
import type { PooledEvm } from './pooledEvm.js'
import { executeMessage, type MessageResult } from './stateTransition.js'
import { messageFromTransaction } from './transactionMessage.js'

/** All that a block demands, except that the sender is no contract (EIP-3607): anybody may be impersonated. */
const checks: MessageChecks = { nonce: true, transaction: false, baseFee: true }

/**
 * Executes a transaction that its sender has not signed.
 *
 * @throws MessageRejectedError in geth's words if it may not be executed here; the state is then as it was.
 */
export function runImpersonated(evm: PooledEvm, pooled: PooledTransaction): Promise<MessageResult> {
  const message = messageFromTransaction(pooled, evm.block.header.baseFeePerGas)
  return executeMessage(evm, message, checks)
}
