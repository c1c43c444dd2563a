import { Address } from '@ethereumjs/util'
import { GAS_PER_BLOB } from '../block/fees.js'
import { ChainError, ExecutionFailedError, MessageRejectedError } from '../errors.js'
import { callGasCap, executeCall, throwFailure, withCall, type CallRequest } from './call.js'
import { floorGas, intrinsicGas, TRANSACTION_GAS } from './intrinsicGas.js'
import type { Message } from './message.js'
import { PeakGas } from './peakGas.js'
import type { PooledEvm } from './pooledEvm.js'
import { IntrinsicGasError } from './preCheck.js'
import type { MessageResult } from './stateTransition.js'

/** An estimate may be this much too high where the result depends on the gas given, in thousandths (geth: 1.5 %). */
const TOLERANCE = 15n
/** EIP-2200: what an SSTORE wants left; geth adds it to its guess. */
const CALL_STIPEND = 2_300n

/** A call whose gas is looked for. */
export interface EstimateRequest extends CallRequest {
  /** The most gas to try where the call names none: the gas limit of the pending block. */
  blockGasLimit: bigint
}

/**
 * The least gas with which a call goes through (eth_estimateGas; geth: eth/gasestimator).
 *
 * Usually two executions: one at the bound, which finds the peak, and one at the peak, which proves it; code that neither
 * looks at its gas nor calls needs no proof. Only where the outcome depends on the gas given is the answer searched for
 * between them, and then up to 1.5 % too high.
 *
 * @throws ChainError, MessageRejectedError, ExecutionRevertedError or ExecutionFailedError, in geth's words.
 */
export async function estimateGas({ blockGasLimit, ...request }: EstimateRequest): Promise<bigint> {
  return withCall(request, async (evm, message) => {
    const bound = await upperBound(evm, message, {
      blockGasLimit,
      ...(request.call.gas === undefined ? {} : { given: request.call.gas }),
      cap: callGasCap(request),
    })
    if (await isPlainTransfer(evm, message)) {
      const attempt = await tryGas(evm, message, TRANSACTION_GAS).catch(() => undefined)
      if (succeeded(attempt)) return TRANSACTION_GAS
    }
    const peak = await runAtBound(evm, message, bound)
    if (peak.isExact) return smaller(peak.gas, bound)
    return search(evm, message, peak.gas, bound)
  })
}

interface Limits {
  given?: bigint
  blockGasLimit: bigint
  cap: bigint
}

/** The most gas that the sender could give, and that anybody would take. */
async function upperBound(evm: PooledEvm, message: Message, limits: Limits): Promise<bigint> {
  const { given, blockGasLimit, cap } = limits
  let bound = given !== undefined && given >= TRANSACTION_GAS ? given : blockGasLimit
  if (message.maxFeePerGas > 0n) {
    const account = await evm.stateManager.getAccount(new Address(message.from))
    let available = account?.balance ?? 0n
    if (message.value >= available && message.value > 0n)
      throw new ChainError('insufficient funds for transfer')
    available -= message.value
    const blobs = BigInt(message.blobVersionedHashes?.length ?? 0)
    const blobCost = blobs * GAS_PER_BLOB * (message.maxFeePerBlobGas ?? 0n)
    if (blobCost > available) throw new ChainError('insufficient funds for gas * price + value')
    bound = smaller(bound, (available - blobCost) / message.maxFeePerGas)
  }
  return smaller(bound, cap)
}

async function isPlainTransfer(evm: PooledEvm, { to, data }: Message): Promise<boolean> {
  if (to === undefined || data.length > 0) return false
  return (await evm.stateManager.getCode(new Address(to))).length === 0
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
async function runAtBound(evm: PooledEvm, message: Message, bound: bigint): Promise<Peak> {
  const meter = new PeakGas()
  evm.peakGas = meter
  evm.observe = (opcode, runState) => meter.observe(opcode, runState)
  const result = await tryGas(evm, message, bound).finally(() => {
    evm.peakGas = undefined
    evm.observe = undefined
  })
  if (result === undefined || result.failure?.kind === 'outOfGas') {
    throw new ExecutionFailedError(`gas required exceeds allowance (${bound})`)
  }
  throwFailure(result)
  const intrinsic = intrinsicGas(message, evm.common)
  const peak = intrinsic + meter.total(result.executionGasUsed)
  const gas = larger(peak, floorGas(message.data, evm.common))
  return { gas, isExact: meter.isExact && message.to !== undefined && !message.authorizationList }
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
async function tryGas(
  evm: PooledEvm,
  message: Message,
  gasLimit: bigint,
): Promise<MessageResult | undefined> {
  await evm.stateManager.checkpoint()
  try {
    return await executeCall(evm, { ...message, gasLimit })
  } catch (error) {
    if (error instanceof IntrinsicGasError) return undefined
    if (!(error instanceof MessageRejectedError)) throw error
    throw new MessageRejectedError(`failed with ${gasLimit} gas: ${error.message}`)
  } finally {
    await evm.stateManager.revert()
  }
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
