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
import { MAX_TRANSACTION_GAS, PLAIN_TRANSFER_GAS } from '../evm/forkSchedule.js'
import type { MessageResult } from '../vm/runTransaction.js'
import { withRollback } from '../vm/blockEnvironment.js'

/** The search ends when the bounds are this close, in thousandths of the upper one (geth: estimateGasErrorRatio). */
const ERROR_RATIO = 15n
/** EIP-2200: what an SSTORE wants left; it is added to the first guess. */
const CALL_STIPEND = 2_300n

/**
 * Gas with which a call goes through, up to 1.5 % more than the least (eth_estimateGas; geth: eth/gasestimator).
 *
 * The number is the one that geth's binary search ends at. One execution shows how much gas the call needs to go the way
 * it went, and the search is arithmetic. Where code looks at its gas or calls, the ends of the search are executed too; if
 * one of them is not as expected, each step executes the call.
 *
 * @param blockGasLimit - the most gas to try where the call names none: the gas limit of the pending block
 * @throws ChainError, MessageRejectedError, ExecutionRevertedError or ExecutionFailedError, in geth's words.
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
 * Whether a message only moves ether to an account without code: anvil estimates such a one without running it
 * (foundry: anvil/src/eth/api.rs, do_estimate_gas).
 */
export async function isPlainTransfer(
  { to, data = new Uint8Array(0), accessList, authorizationList, blobVersionedHashes }: CallObject,
  state: Pick<StateView, 'getCode'>,
): Promise<boolean> {
  if (to === undefined || data.length > 0) return false
  if ([accessList, authorizationList, blobVersionedHashes].some((list) => list !== undefined)) return false
  return (await state.getCode(to)).length === 0
}

/** What the search for gas up to a bound ends at. */
async function searchGas(evm: PooledEvm, message: Message, bound: bigint): Promise<bigint> {
  const range = await runAtBound(evm, message, bound)
  const expected = searchByNeed(range)
  if (range.isExact) return expected.high
  return confirmSearch(range, expected, async (gas) => succeeded(await tryGas(evm, message, gas)))
}

/** The bounds that the search ends at if the call goes through with as much gas as it needs and with no less. */
function searchByNeed(range: GasRange): SearchBounds {
  const steps = search(range)
  let step = steps.next()
  while (step.done !== true) step = steps.next(step.value >= range.needed)
  return step.value
}

/**
 * Executes the call at both bounds, and at each step of the search if they are not as expected: a caller may do without
 * what a call that runs out of gas would have done, and code may look at its gas.
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

/** The most gas that the sender could give, and that anybody would take. */
export async function upperBound(evm: PooledEvm, message: Message, limits: Limits): Promise<bigint> {
  const { given, blockGasLimit, cap } = limits
  const wanted = given !== undefined && given >= PLAIN_TRANSFER_GAS ? given : blockGasLimit
  const allowed = evm.common.isActivatedEIP(7825) ? minBigint(wanted, MAX_TRANSACTION_GAS) : wanted
  const bound = minBigint(allowed, cap)
  if (message.maxFeePerGas === 0n) return bound
  const account = await evm.state.readAccount(message.from)
  return minBigint(bound, affordableGas(message, account?.balance ?? 0n))
}

/** The most gas that a balance pays for. */
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

/** What a run at the upper bound shows. */
interface GasRange {
  /** With so much it went through. */
  bound: bigint
  /** After refunds. */
  gasUsed: bigint
  /** Before refunds. */
  maxGasUsed: bigint
  /** The least gas with which it goes the same way. */
  needed: bigint
  /** Whether it certainly goes through with that, and with no less. */
  isExact: boolean
}

/**
 * Runs the message at the bound.
 *
 * @throws what a caller is told where even the bound does not do
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

/** Gas with which the message went through, and less with which it did not. */
interface SearchBounds {
  low: bigint
  high: bigint
}

/** The amounts of gas to try, each answered with whether the message went through; `high` at the end is the estimate. */
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
 * Runs the message with this gas and takes its changes back.
 *
 * @returns undefined if the gas does not cover what comes before the first opcode
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
