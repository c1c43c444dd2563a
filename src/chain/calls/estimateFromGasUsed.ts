import { ExecutionFailedError } from '../errors.js'
import { whenReady } from '../state/stateStore.js'
import type { Awaitable } from '../types.js'
import { executeCall, throwFailure, withCall, type CallRequest } from './call.js'
import { withRollback } from '../vm/blockEnvironment.js'
import type { PooledEvm } from '../evm/pooledEvm.js'
import type { Message } from '../vm/message.js'
import { IntrinsicGasError } from '../vm/preCheck.js'
import { MAX_TRANSACTION_GAS } from '../evm/forkSchedule.js'
import type { MessageResult } from '../vm/runTransaction.js'

/** Steps of the search at most. */
const MOST_STEPS = 20

/** How close the bounds of the search have to come, by the lower one. */
const precisions: readonly (readonly [least: bigint, precision: bigint])[] = [
  [4_000_000n, 50_000n],
  [1_000_000n, 10_000n],
  [100_000n, 1_000n],
  [50_000n, 500n],
  [30_000n, 300n],
  [0n, 200n],
]

/**
 * Gas with which a call goes through, as hardhat estimates it (EDR: edr_provider, data/gas.rs): what a run with the most
 * gas used, and one more than a transaction costs without code at least, if that suffices; otherwise what a binary search
 * ends at.
 *
 * @param blockGasLimit - the most gas where the call names none
 * @throws ChainError, MessageRejectedError, ExecutionRevertedError or ExecutionFailedError, in geth's words.
 */
export function estimateFromGasUsed(request: CallRequest, blockGasLimit: bigint): Awaitable<bigint> {
  return withCall(request, (evm, message) => {
    const given = request.call.gas ?? blockGasLimit
    const most = evm.common.isActivatedEIP(7825) && given > MAX_TRANSACTION_GAS ? MAX_TRANSACTION_GAS : given
    return whenReady(run(evm, message, most), async (result) => {
      if (result.failure?.kind === 'outOfGas') throw new ExecutionFailedError('out of gas')
      throwFailure(result)
      const { gasUsed, intrinsicGas } = result
      const least = gasUsed > intrinsicGas ? gasUsed : intrinsicGas + 1n
      return (await passes(evm, message, least))
        ? least
        : search(least, most, (gas) => passes(evm, message, gas))
    })
  })
}

async function search(
  least: bigint,
  most: bigint,
  suffices: (gas: bigint) => Promise<boolean>,
): Promise<bigint> {
  let [low, high] = [least, most]
  for (let step = 0; step < MOST_STEPS && high - low > precisionAt(low); step++) {
    const half = high - (high - low) / 2n
    // What is needed is mostly close to what was used.
    const middle = step === 0 && half > 3n * low ? 3n * low : half
    if (await suffices(middle)) high = middle
    else low = middle
  }
  return high
}

function precisionAt(gas: bigint): bigint {
  return precisions.find(([least]) => gas >= least)?.[1] ?? 0n
}

function run(evm: PooledEvm, message: Message, gasLimit: bigint): Awaitable<MessageResult> {
  return withRollback(evm, () => executeCall(evm, { ...message, gasLimit }))
}

async function passes(evm: PooledEvm, message: Message, gasLimit: bigint): Promise<boolean> {
  try {
    return (await run(evm, message, gasLimit)).failure === undefined
  } catch (error) {
    if (error instanceof IntrinsicGasError) return false
    throw error
  }
}
