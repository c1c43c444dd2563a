import type { ForkRules } from '../../chain/types.js'
import { MAX_TRANSACTION_GAS } from '../../chain/evm/forkSchedule.js'
import type { PolicyCall } from '../callPolicy.js'
import { InvalidParamsError, RpcError, ServerError } from '../errors.js'
import type { CallArguments } from '../params/callObject.js'

/**
 * Runs hardhat's checks of a transaction to sign, which precede its lookup of the sender's key (EDR: edr_provider,
 * requests/validation.rs).
 *
 * @throws InvalidParamsError or ServerError with hardhat's message
 */
export function checkHardhatTransaction(request: CallArguments, chainId: bigint): void {
  checkDuplicateData(request)
  if (request.chainId !== undefined && request.chainId !== chainId) {
    throw new RpcError(-32602, `Invalid chainId ${request.chainId} provided, expected ${chainId} instead.`)
  }
  checkFees(request)
  if (request.blobs !== undefined) throw blobsUnsupported('transaction', 5023)
}

/**
 * Runs hardhat's checks of a message to call or estimate, which precede its lookup of the block.
 *
 * @throws InvalidParamsError or ServerError with hardhat's message
 */
export function checkHardhatCall(request: CallArguments, rules: Pick<ForkRules, 'isActivatedEIP'>): void {
  const { to, gas } = request
  checkDuplicateData(request)
  checkFees(request)
  const data = request.input ?? request.data
  if (to === undefined && (data === undefined || data.length === 0)) {
    throw new ServerError('Contract creation without any data provided')
  }
  if (request.blobs !== undefined) throw blobsUnsupported('call request', 5182)
  if (gas !== undefined && gas > MAX_TRANSACTION_GAS && rules.isActivatedEIP(7825)) {
    throw new ServerError(`transaction gas limit (${gas}) is greater than the cap (${MAX_TRANSACTION_GAS})`)
  }
}

/**
 * Runs hardhat's checks of a fee history.
 *
 * @throws ServerError with hardhat's message
 */
export function checkHardhatFeeHistory(count: bigint, percentiles: readonly number[]): void {
  if (count < 1n) throw new ServerError('blockCount should be at least 1')
  if (count > MAX_FEE_BLOCKS) throw new ServerError(`blockCount should be at most ${MAX_FEE_BLOCKS}`)
  percentiles.forEach((percentile, index) => {
    if (percentile < 0 || percentile > 100) {
      throw new ServerError(
        `The reward percentile number ${index + 1} is invalid. It must be a float between 0 and 100, but is ${percentile} instead.`,
      )
    }
    if (percentile > (percentiles[index + 1] ?? 100)) {
      throw new ServerError(
        `The reward percentiles should be in non-decreasing order, but the percentile number ${index + 1} is greater than the next one`,
      )
    }
  })
}

function blobsUnsupported(what: string, issue: number): ServerError {
  return new ServerError(
    `An EIP-4844 (shard blob) ${what} was received, but Hardhat only supports them via \`eth_sendRawTransaction\`. See https://github.com/NomicFoundation/hardhat/issues/${issue}`,
  )
}

const MAX_FEE_BLOCKS = 1024n

/**
 * Runs hardhat's checks of undecoded arguments that other nodes accept.
 *
 * @throws InvalidParamsError or ServerError with hardhat's message
 */
export function checkHardhatArguments({ method, params }: Pick<PolicyCall, 'method' | 'params'>): void {
  if (Array.isArray(params) && Object.hasOwn(argumentChecks, method)) argumentChecks[method]?.(params)
}

type Arguments = readonly unknown[]

const argumentChecks: Readonly<Record<string, (params: Arguments) => void>> = {
  eth_call: ([message]) => checkTypeAndBlobs(message, 'call request', 5182),
  eth_estimateGas: ([message]) => checkTypeAndBlobs(message, 'call request', 5182),
  eth_sendTransaction: ([message]) => {
    const { type } = checkTypeAndBlobs(message, 'transaction', 5023)
    if (type === BLOB_TYPE) throw blobsUnsupported('transaction', 5023)
  },
  evm_mine: (params) => {
    const [timestamp] = params
    if (params.length === 0 || (typeof timestamp !== 'object' && timestamp !== undefined)) return
    throw new InvalidParamsError('Timestamp must be a non-negative number not exceeding 2^64 - 1')
  },
  hardhat_reset: checkReset,
}

/** EIP-4844. */
const BLOB_TYPE = 3n

/**
 * Checks that a message's type is a byte, and that it has no blobs under hardhat's own name for them.
 *
 * @returns the type in the message
 */
function checkTypeAndBlobs(message: unknown, what: string, issue: number): { type: bigint | undefined } {
  if (typeof message !== 'object' || message === null) return { type: undefined }
  const { type: given, blobHashes } = message as { type?: unknown; blobHashes?: unknown }
  if (blobHashes !== undefined && blobHashes !== null) throw blobsUnsupported(what, issue)
  if (given === undefined || given === null) return { type: undefined }
  const digits = typeof given === 'string' ? given.replace(/^0x/, '') : JSON.stringify(given)
  const isNumber = typeof given === 'string' ? /^[0-9a-f]{0,8}$/i.test(digits) : /^\d{1,3}$/.test(digits)
  const type = isNumber ? BigInt(typeof given === 'string' ? `0x0${digits}` : digits) : undefined
  if (type !== undefined && type < 256n) return { type }
  throw new InvalidParamsError(`invalid value: ${describe(given)}, expected a 1 byte hex string`)
}

function describe(value: unknown): string {
  return typeof value === 'string' ? `string "${value}"` : JSON.stringify(value)
}

/** Checks the configuration of hardhat_reset (hardhat: core/jsonrpc/types, hardhat-network.ts). */
function checkReset([configuration]: Arguments): void {
  const path = 'HardhatNetworkConfig | undefined'
  if (configuration === undefined) return
  if (!isObject(configuration)) throw invalidConfiguration([[configuration, path]])
  const { forking } = configuration as { forking?: unknown }
  const forkingPath = `${path}/forking: RpcForkConfig | undefined | undefined`
  if (forking === undefined) return
  if (!isObject(forking)) throw invalidConfiguration([[forking, forkingPath]])
  const { jsonRpcUrl, blockNumber } = forking as { jsonRpcUrl?: unknown; blockNumber?: unknown }
  // Viem sends this for a reset without a fork.
  if (jsonRpcUrl === undefined && blockNumber === null) return
  const mistakes: [value: unknown, place: string][] = []
  if (typeof jsonRpcUrl !== 'string') mistakes.push([jsonRpcUrl, `${forkingPath}/jsonRpcUrl: string`])
  if (blockNumber !== undefined && typeof blockNumber !== 'number') {
    mistakes.push([blockNumber, `${forkingPath}/blockNumber: number | undefined`])
  }
  if (mistakes.length > 0) throw invalidConfiguration(mistakes)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function invalidConfiguration(mistakes: readonly [value: unknown, place: string][]): RpcError {
  const mistakeTexts = mistakes.map(
    ([value, place]) => `Invalid value ${JSON.stringify(value)} supplied to : ${place}`,
  )
  const message = `Errors encountered in param 0: ${mistakeTexts.join(', ')}`
  return new RpcError(-32602, message, { data: { message } })
}

/** `data` and `input` are names of the same field. */
function checkDuplicateData({ data, input }: CallArguments): void {
  if (data !== undefined && input !== undefined) throw new InvalidParamsError('duplicate field `data`')
}

function checkFees(request: CallArguments): void {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas, authorizationList, to } = request
  if (gasPrice !== undefined) {
    if (maxFeePerGas !== undefined) throw new ServerError('Cannot send both gasPrice and maxFeePerGas params')
    if (maxPriorityFeePerGas !== undefined) {
      throw new ServerError('Cannot send both gasPrice and maxPriorityFeePerGas')
    }
    if (authorizationList !== undefined)
      throw new ServerError('Cannot send both gasPrice and authorizationList')
  }
  if (
    maxFeePerGas !== undefined &&
    maxPriorityFeePerGas !== undefined &&
    maxPriorityFeePerGas > maxFeePerGas
  ) {
    throw new ServerError(
      `maxPriorityFeePerGas (${maxPriorityFeePerGas}) is bigger than maxFeePerGas (${maxFeePerGas})`,
    )
  }
  if (authorizationList === undefined) return
  if (to === undefined) {
    throw new ServerError('Invalid EIP-7702 transaction: to (receiver) parameter is missing.')
  }
  if (authorizationList.length === 0) {
    throw new ServerError('Invalid EIP-7702 transaction: authorization list is empty.')
  }
}
