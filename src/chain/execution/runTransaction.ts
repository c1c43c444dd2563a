import type { Awaitable } from '../types.js'
import type { PooledTransaction } from '../mempool/transaction.js'
import { transactionChecks, type MessageChecks } from './preCheck.js'
import type { PooledEvm } from './pooledEvm.js'
import { executeMessage } from './stateTransition.js'
import type { MessageResult } from './messageResult.js'
import { messageFromTransaction } from './transactionMessage.js'

/** All that a block demands, except that the sender is no contract (EIP-3607): anybody may be impersonated. */
const impersonatedChecks: MessageChecks = { ...transactionChecks, transaction: false }

/**
 * Executes a transaction in the block that an EVM is bound to. This stands in for runTx of @ethereumjs/vm, which
 * recovers the sender again, makes several objects of every account and refuses in other words than geth; the code
 * runs in the library's frames as there.
 *
 * @throws MessageRejectedError in geth's words if it may not be executed here; the state is then as it was.
 */
export function runTransaction(evm: PooledEvm, pooled: PooledTransaction): Awaitable<MessageResult> {
  const message = messageFromTransaction(pooled, evm.block.header.baseFeePerGas)
  return executeMessage(evm, message, pooled.impersonated ? impersonatedChecks : transactionChecks)
}
