import { maxBigint, minBigint } from '../../encoding/bigints.js'
import { ExecutionFailedError } from '../errors.js'
import { callGasCap, executeCall, throwFailure, withCall, type CallRequest } from './call.js'
import { PLAIN_TRANSFER_GAS } from '../evm/forkSchedule.js'
import { maxGas, upperBound } from './estimate.js'
import { withRollback } from '../vm/blockEnvironment.js'
import type { PooledEvm } from '../evm/pooledEvm.js'
import type { Message } from '../vm/message.js'
import { IntrinsicGasError } from '../vm/preCheck.js'
import type { MessageResult } from '../vm/runTransaction.js'

/** Maximum distance of the final search bounds, by the lower bound. */
const precisions: readonly (readonly [least: bigint, precision: bigint])[] = [
  [4_000_000n, 50_000n],
  [1_000_000n, 10_000n],
  [100_000n, 1_000n],
  [50_000n, 500n],
  [30_000n, 300n],
  [0n, 200n],
]

/**
 * Estimates gas like Hardhat (EDR: edr_provider, data/gas.rs): returns the gas used by a run with the maximum, at least
 * one more than the intrinsic gas, if that suffices; otherwise the result of a binary search.
 *
 * @param blockGasLimit - maximum gas, and that of the run if the call sets none
 * @throws ChainError, MessageRejectedError, ExecutionRevertedError or ExecutionFailedError, with geth's message
 */
export async function estimateFromGasUsed(request: CallRequest, blockGasLimit: bigint): Promise<bigint> {
  return withCall({ ...request, estimateLimit: blockGasLimit }, async (evm, message) => {
    const most = maxGas(evm, blockGasLimit)
    const { gas = most } = request.call
    const { gasUsed, intrinsicGas } = await runWithMaximumGas(evm, message, maxGas(evm, gas))
    const least = maxBigint(gasUsed, intrinsicGas + 1n)
    return searchMinimumGas(evm, message, [least, most], precisionAt)
  })
}

/**
 * Finds the minimum gas of a call like anvil (foundry: anvil/src/eth/api.rs, do_estimate_gas). Its search begins at
 * 21,000, or 53,000 for a creation, and ends above that. It never tries more gas than the call sets, or than a given
 * sender can pay for.
 *
 * @param blockGasLimit - maximum gas if the call sets none
 * @throws as {@link estimateFromGasUsed} does
 */
export async function estimateMinimumGas(request: CallRequest, blockGasLimit: bigint): Promise<bigint> {
  const { from, gas, to } = request.call
  if (gas !== undefined && gas < PLAIN_TRANSFER_GAS) {
    throw new ExecutionFailedError(`gas required exceeds allowance (${gas})`)
  }
  const begin = to === undefined ? CREATION_GAS : PLAIN_TRANSFER_GAS
  return withCall(request, async (evm, message) => {
    const limits = { given: gas, blockGasLimit, cap: callGasCap(request) }
    const most =
      from === undefined
        ? minBigint(gas ?? blockGasLimit, limits.cap)
        : await upperBound(evm, message, limits)
    const { gasUsed, intrinsicGas } = await runWithMaximumGas(evm, message, most)
    const least = maxBigint(maxBigint(gasUsed, intrinsicGas), begin + 1n)
    return searchMinimumGas(evm, message, [least, most], () => 1n)
  })
}

/** Base cost of a creation. */
const CREATION_GAS = 53_000n

async function runWithMaximumGas(evm: PooledEvm, message: Message, most: bigint): Promise<MessageResult> {
  const result = await run(evm, message, most)
  if (result.failure?.kind === 'outOfGas' || result.failure?.message === 'gas uint64 overflow')
    throw new ExecutionFailedError(`gas required exceeds allowance (${most})`)
  throwFailure(result)
  return result
}

/**
 * Returns the lower bound of a range if that suffices. Otherwise halves the range until it is no wider than the
 * precision.
 *
 * @returns the remaining upper bound
 */
async function searchMinimumGas(
  evm: PooledEvm,
  message: Message,
  [least, most]: readonly [bigint, bigint],
  precision: (low: bigint) => bigint,
): Promise<bigint> {
  if (await passes(evm, message, least)) return least
  let [low, high] = [least - 1n, most]
  for (let step = 0; high - low > precision(low); step++) {
    const half = high - (high - low) / 2n
    // The need is usually close to the gas used.
    const middle = step === 0 && half > 3n * least ? 3n * least : half
    if (await passes(evm, message, middle)) high = middle
    else low = middle
  }
  return high
}

function precisionAt(gas: bigint): bigint {
  return precisions.find(([least]) => gas >= least)?.[1] ?? 0n
}

function run(evm: PooledEvm, message: Message, gasLimit: bigint): Promise<MessageResult> {
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
