import { GAS_PER_BLOB } from '../block/fees.js'
import { ChainError, ExecutionFailedError, MessageRejectedError, NothingLeftForGasError } from '../errors.js'
import { orElse, whenReady } from '../state/whenReady.js'
import type { Awaitable, StateView } from '../types.js'
import { callGasCap, executeCall, throwFailure, withCall, type CallRequest } from './call.js'
import type { CallObject } from './callObject.js'
import type { Message } from '../vm/message.js'
import { PeakGas } from '../evm/peakGas.js'
import type { PooledEvm } from '../evm/pooledEvm.js'
import { IntrinsicGasError } from '../vm/preCheck.js'
import type { MessageResult } from '../vm/runTransaction.js'
import { withRollback } from '../evm/evm.js'

/** Gas of a transaction that runs no code and has no data. */
export const PLAIN_TRANSFER_GAS = 21_000n
/** An estimate may be this much too high where the result depends on the gas given, in thousandths (geth: 1.5 %). */
const TOLERANCE = 15n
/** EIP-2200: what an SSTORE wants left; geth adds it to its guess. */
const CALL_STIPEND = 2_300n

/**
 * The least gas with which a call goes through (eth_estimateGas; geth: eth/gasestimator).
 *
 * Usually two executions: one at the bound, which finds the peak, and one at the peak, which proves it; code that neither
 * looks at its gas nor calls needs no proof. Only where the outcome depends on the gas given is the answer searched for
 * between them, and then up to 1.5 % too high.
 *
 * @param blockGasLimit - the most gas to try where the call names none: the gas limit of the pending block
 * @throws ChainError, MessageRejectedError, ExecutionRevertedError or ExecutionFailedError, in geth's words.
 */
export function estimateGas(request: CallRequest, blockGasLimit: bigint): Awaitable<bigint> {
  const limits = { given: request.call.gas, blockGasLimit, cap: callGasCap(request) }
  return withCall(request, (evm, message) =>
    whenReady(upperBound(evm, message, limits), (bound) =>
      whenReady(runsNoCode(evm, message), (isPlain) => {
        if (!isPlain) return leastGas(evm, message, bound)
        const attempt = orElse<MessageResult | undefined>(
          () => tryGas(evm, message, PLAIN_TRANSFER_GAS),
          () => undefined,
        )
        return whenReady(attempt, (result) =>
          succeeded(result) ? PLAIN_TRANSFER_GAS : leastGas(evm, message, bound),
        )
      }),
    ),
  )
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

/** The least gas up to a bound with which a message goes through. */
function leastGas(evm: PooledEvm, message: Message, bound: bigint): Awaitable<bigint> {
  return whenReady(runAtBound(evm, message, bound), ({ gas, isExact }) =>
    isExact ? smaller(gas, bound) : search(evm, message, gas, bound),
  )
}

interface Limits {
  given: bigint | undefined
  blockGasLimit: bigint
  cap: bigint
}

/** The most gas that the sender could give, and that anybody would take. */
function upperBound(evm: PooledEvm, message: Message, limits: Limits): Awaitable<bigint> {
  const { given, blockGasLimit, cap } = limits
  const bound = smaller(given !== undefined && given >= PLAIN_TRANSFER_GAS ? given : blockGasLimit, cap)
  if (message.maxFeePerGas === 0n) return bound
  return whenReady(evm.state.readAccount(message.from), (account) =>
    smaller(bound, affordableGas(message, account?.balance ?? 0n)),
  )
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

function runsNoCode({ state }: PooledEvm, { to, data }: Message): Awaitable<boolean> {
  if (to === undefined || data.length > 0) return false
  return whenReady(state.readCode(to), (code) => code.length === 0)
}

/** The least gas with which a message goes the way that it went. */
interface Peak {
  gas: bigint
  /** Whether that is certain without another run. */
  isExact: boolean
}

/**
 * Runs the message at the bound and finds its peak.
 *
 * @throws what a caller is told where even the bound does not do
 */
function runAtBound(evm: PooledEvm, message: Message, bound: bigint): Awaitable<Peak> {
  const meter = new PeakGas()
  evm.peakGas = meter
  evm.observe = (opcode, runState) => meter.observe(opcode, runState)
  return whenReady(tryGas(evm, message, bound), (result) => {
    evm.peakGas = undefined
    evm.observe = undefined
    if (result === undefined || result.failure?.kind === 'outOfGas') {
      throw new ExecutionFailedError(`gas required exceeds allowance (${bound})`)
    }
    throwFailure(result)
    const peak = result.intrinsicGas + meter.total(result.executionGasUsed)
    const gas = larger(peak, result.maxGasUsed)
    return { gas, isExact: meter.isExact && message.to !== undefined && !message.authorizationList }
  })
}

async function search(evm: PooledEvm, message: Message, peak: bigint, bound: bigint): Promise<bigint> {
  const passes = async (gas: bigint): Promise<boolean> => succeeded(await tryGas(evm, message, gas))
  if (peak >= bound) return bound
  if (await passes(peak)) return peak
  let low = peak
  let high = bound
  const guess = ((peak + CALL_STIPEND) * 64n) / 63n
  if (guess < high) {
    if (await passes(guess)) high = guess
    else low = guess
  }
  while (low + 1n < high && (high - low) * 1000n >= high * TOLERANCE) {
    const middle = smaller(low + (high - low) / 2n, low * 2n)
    if (await passes(middle)) high = middle
    else low = middle
  }
  return high
}

/**
 * Runs the message with this gas and takes its changes back.
 *
 * @returns undefined if the gas does not cover what comes before the first opcode
 * @throws MessageRejectedError if it may not run for another reason
 */
function tryGas(evm: PooledEvm, message: Message, gasLimit: bigint): Awaitable<MessageResult | undefined> {
  return orElse<MessageResult | undefined>(
    () => withRollback(evm, () => executeCall(evm, { ...message, gasLimit })),
    (error) => {
      if (error instanceof IntrinsicGasError) return undefined
      if (!(error instanceof MessageRejectedError)) throw error
      throw new MessageRejectedError(`failed with ${gasLimit} gas: ${error.message}`)
    },
  )
}

function succeeded(result: MessageResult | undefined): boolean {
  return result !== undefined && result.failure === undefined
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
