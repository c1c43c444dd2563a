import { maxBigint, minBigint } from '../../encoding/bigints.js'
import { GAS_PER_BLOB } from '../block/header.js'
import { ChainError, ExecutionFailedError, MessageRejectedError, NothingLeftForGasError } from '../errors.js'
import type { StateView } from '../types.js'
import { callGasCap, executeCall, throwFailure, withCall, type CallRequest } from './call.js'
import type { CallObject } from './callObject.js'
import type { Message } from '../vm/message.js'
import { PeakGas } from '../evm/peakGas.js'
import type { PooledEvm } from '../evm/pooledEvm.js'
import { IntrinsicGasError } from '../vm/preCheck.js'
import { CALL_STIPEND, MAX_TRANSACTION_GAS, PLAIN_TRANSFER_GAS } from '../evm/forkSchedule.js'
import type { MessageResult } from '../vm/runTransaction.js'
import { withRollback } from '../vm/blockEnvironment.js'

/** The search ends when the bounds are this close, in thousandths of the upper one (geth: estimateGasErrorRatio). */
const ERROR_RATIO = 15n

/**
 * Estimates the gas that a call needs, at most 1.5 % above the minimum (eth_estimateGas; geth: eth/gasestimator).
 *
 * Returns the same number as geth's binary search. A single execution shows how much gas the call needs to take the
 * same path; the search is then plain arithmetic. If the code reads its gas or makes calls, the final bounds are also
 * executed. If either is not as expected, every step executes the call.
 *
 * @param blockGasLimit - gas to try if the call sets none: the gas limit of the pending block
 * @throws ChainError, MessageRejectedError, ExecutionRevertedError or ExecutionFailedError, with geth's message
 */
export async function estimateGas(request: CallRequest, blockGasLimit: bigint): Promise<bigint> {
  const limits = { given: request.call.gas, blockGasLimit, cap: callGasCap(request) }
  return withCall({ ...request, precompileOverrides: 'checked' }, async (evm, message) => {
    const bound = await upperBound(evm, message, limits)
    if (await runsNoCode(evm, message)) {
      const suffices = await tryGas(evm, message, PLAIN_TRANSFER_GAS).then(succeeded, () => false)
      if (suffices) return PLAIN_TRANSFER_GAS
    }
    return searchGas(evm, message, bound)
  })
}

/**
 * Whether a message only moves ether to an account without code, which anvil estimates without execution (foundry:
 * anvil/src/eth/api.rs, do_estimate_gas).
 */
export async function isPlainTransfer(
  { to, data = new Uint8Array(0), accessList, authorizationList, blobVersionedHashes }: CallObject,
  state: Pick<StateView, 'getCode'>,
): Promise<boolean> {
  if (to === undefined || data.length > 0) return false
  if ([accessList, authorizationList, blobVersionedHashes].some((list) => list !== undefined)) return false
  return (await state.getCode(to)).length === 0
}

/** Runs the search for gas up to a bound and returns its result. */
async function searchGas(evm: PooledEvm, message: Message, bound: bigint): Promise<bigint> {
  const range = await runAtBound(evm, message, bound)
  const expected = searchByNeed(range)
  if (range.isExact) return expected.high
  return confirmSearch(range, expected, async (gas) => succeeded(await tryGas(evm, message, gas)))
}

/**
 * Returns the final bounds of the search, assuming that the call succeeds exactly when it gets at least the gas it
 * needs.
 */
function searchByNeed(range: GasRange): SearchBounds {
  const steps = search(range)
  let step = steps.next()
  while (step.done !== true) step = steps.next(step.value >= range.needed)
  return step.value
}

/**
 * Executes the call at both bounds, and at each step of the search if they are not as expected: a caller may tolerate a
 * nested call that runs out of gas, and code may read its gas.
 */
async function confirmSearch(
  range: GasRange,
  expected: SearchBounds,
  passes: (gas: bigint) => Promise<boolean>,
): Promise<bigint> {
  const { low, high } = expected
  const isConfirmed =
    (high === range.bound || (await passes(high))) && (low < range.gasUsed || !(await passes(low)))
  if (isConfirmed) return high
  const steps = search(range)
  let step = steps.next()
  while (step.done !== true) step = steps.next(await passes(step.value))
  return step.value.high
}

interface Limits {
  given: bigint | undefined
  blockGasLimit: bigint
  cap: bigint
}

/** Returns the maximum gas to try: what the sender can pay for, within all limits. */
export async function upperBound(evm: PooledEvm, message: Message, limits: Limits): Promise<bigint> {
  const { given, blockGasLimit, cap } = limits
  const wanted = given !== undefined && given >= PLAIN_TRANSFER_GAS ? given : blockGasLimit
  const bound = minBigint(maxGas(evm, wanted), cap)
  if (message.maxFeePerGas === 0n) return bound
  const account = await evm.state.readAccount(message.from)
  return minBigint(bound, affordableGas(message, account?.balance ?? 0n))
}

/** Returns an amount of gas, capped by EIP-7825 where that applies. */
export function maxGas(evm: PooledEvm, wanted: bigint): bigint {
  return evm.common.isActivatedEIP(7825) ? minBigint(wanted, MAX_TRANSACTION_GAS) : wanted
}

/** Returns the gas that a balance pays for. */
function affordableGas(message: Message, balance: bigint): bigint {
  const { value, maxFeePerGas, blobVersionedHashes = [], maxFeePerBlobGas = 0n } = message
  if (value >= balance) throw new NothingLeftForGasError({ coversValue: value === balance })
  const blobCost = BigInt(blobVersionedHashes.length) * GAS_PER_BLOB * maxFeePerBlobGas
  if (blobVersionedHashes.length > 0 && blobCost >= balance - value)
    throw new ChainError('insufficient funds for gas * price + value')
  return (balance - value - blobCost) / maxFeePerGas
}

async function runsNoCode({ state }: PooledEvm, { to, data }: Message): Promise<boolean> {
  if (to === undefined || data.length > 0) return false
  return (await state.readCode(to)).length === 0
}

/** Results of a run at the upper bound. */
interface GasRange {
  /** The gas of the run, which succeeded. */
  bound: bigint
  /** After refunds. */
  gasUsed: bigint
  /** Before refunds. */
  maxGasUsed: bigint
  /** Minimum gas for taking the same path. */
  needed: bigint
  /** Whether it is certain to succeed with `needed` and to fail with less. */
  isExact: boolean
}

/**
 * Runs the message at the bound.
 *
 * @throws the error for the caller if even the bound does not suffice
 */
async function runAtBound(evm: PooledEvm, message: Message, bound: bigint): Promise<GasRange> {
  const meter = new PeakGas()
  evm.peakGas = meter
  evm.observe = (opcode, runState) => meter.observe(opcode, runState)
  const result = await tryGas(evm, message, bound)
  evm.peakGas = undefined
  evm.observe = undefined
  if (result === undefined || result.failure?.kind === 'outOfGas') {
    throw new ExecutionFailedError(`gas required exceeds allowance (${bound})`)
  }
  throwFailure(result)
  const { gasUsed, maxGasUsed, intrinsicGas, executionGasUsed } = result
  const isExact = meter.isExact && message.to !== undefined && message.authorizationList === undefined
  const needed = maxBigint(intrinsicGas + meter.total(executionGasUsed), maxGasUsed)
  return { bound, gasUsed, maxGasUsed, needed, isExact }
}

/** `high` is enough gas, `low` is not. */
interface SearchBounds {
  low: bigint
  high: bigint
}

/** Yields the amounts of gas to try and receives whether each suffices; `high` of the result is the estimate. */
function* search({ bound, gasUsed, maxGasUsed }: GasRange): Generator<bigint, SearchBounds, boolean> {
  let low = gasUsed - 1n
  let high = bound
  const guess = ((maxGasUsed + CALL_STIPEND) * 64n) / 63n
  if (guess < high) {
    if (yield guess) high = guess
    else low = guess
  }
  while (low + 1n < high && (high - low) * 1000n >= high * ERROR_RATIO) {
    const middle = minBigint(low + (high - low) / 2n, low * 2n)
    if (yield middle) high = middle
    else low = middle
  }
  return { low, high }
}

/**
 * Runs the message with this gas and reverts its changes.
 *
 * @returns undefined if the gas does not cover the intrinsic gas
 * @throws MessageRejectedError if it may not run for another reason
 */
async function tryGas(
  evm: PooledEvm,
  message: Message,
  gasLimit: bigint,
): Promise<MessageResult | undefined> {
  try {
    return await withRollback(evm, () => executeCall(evm, { ...message, gasLimit }))
  } catch (error) {
    if (error instanceof IntrinsicGasError) return undefined
    if (!(error instanceof MessageRejectedError)) throw error
    throw new MessageRejectedError(`failed with ${gasLimit} gas: ${error.message}`)
  }
}

function succeeded(result: MessageResult | undefined): boolean {
  return result !== undefined && result.failure === undefined
}
