import { GAS_PER_BLOB } from '../block/fees.js'
import type { SealedTransaction } from '../block/record.js'
import { MessageRejectedError } from '../errors.js'
import type { PooledTransaction } from '../mempool/transaction.js'
import type { BlockExecution } from './block.js'
import { preCheck, transactionChecks } from './preCheck.js'
import type { PooledEvm } from './pooledEvm.js'
import { messageFromTransaction } from './transactionMessage.js'

/** The EIP that brought each type of transactions. */
const typeEips: Readonly<Record<PooledTransaction['transaction']['type'], number | undefined>> = {
  0: undefined,
  1: 2930,
  2: 1559,
  3: 4844,
  4: 7702,
}

/**
 * Applies a transaction that somebody else put into a block, after all that a block demands of it (geth:
 * core/state_transition.go, preCheck and buyGas).
 *
 * @param evm - the one that the execution works with
 * @throws MessageRejectedError in geth's words if it may not be executed here; the state is then as it was.
 */
export async function applyChecked(
  execution: BlockExecution,
  evm: PooledEvm,
  pooled: PooledTransaction,
): Promise<SealedTransaction> {
  const { transaction } = pooled
  const eip = typeEips[transaction.type]
  if (eip !== undefined && !evm.common.isActivatedEIP(eip)) {
    throw new MessageRejectedError('transaction type not supported')
  }
  const message = messageFromTransaction(pooled, evm.block.header.baseFeePerGas)
  if (message.gasLimit > execution.gasLeft) throw new MessageRejectedError('gas limit reached')
  const blobs = message.blobVersionedHashes?.length ?? 0
  if (GAS_PER_BLOB * BigInt(blobs) > execution.blobGasLeft) {
    throw new MessageRejectedError('blob gas limit reached')
  }
  await preCheck(evm, message, transactionChecks)
  return execution.apply(pooled)
}
