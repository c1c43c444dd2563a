import type { ForkRules } from '../../chain/types.js'
import { MAX_TRANSACTION_GAS } from '../../chain/evm/forkSchedule.js'
import { RpcError, ServerError } from '../errors.js'
import type { CallArguments } from '../params/callObject.js'
import { shownValue } from '../params/shownValue.js'

/**
 * Runs hardhat's checks of a transaction to sign, which precede its lookup of the sender's key (EDR: edr_provider,
 * requests/validation.rs).
 *
 * @throws InvalidParamsError or ServerError with hardhat's message
 */
export function checkHardhatTransaction(request: CallArguments, chainId: bigint): void {
  if (request.chainId !== undefined && request.chainId !== chainId) {
    throw new RpcError(-32602, `Invalid chainId ${request.chainId} provided, expected ${chainId} instead.`)
  }
  if (request.blobs !== undefined) throw blobsUnsupported('transaction', 5023)
  checkFees(request)
}

/** EIP-4844. */
const BLOB_TYPE = 3
/** The latest transaction type (EIP-7702). */
const LAST_TYPE = 4
/** First byte of the RLP of a list, as of a legacy transaction. */
const FIRST_LIST = 0xc0

/** First byte of the RLP of a list whose length is encoded, too. */
const FIRST_LONG_LIST = 0xf8

/**
 * Checks the type of a signed transaction, and that one with blobs includes them, like hardhat.
 *
 * @throws RpcError with hardhat's message
 */
export function checkHardhatRawTransaction(raw: Uint8Array): void {
  const [type = FIRST_LIST, list = 0] = raw
  if (type < FIRST_LIST && (type === 0 || type > LAST_TYPE)) {
    throw new RpcError(-32602, `Invalid transaction type ${type}.`)
  }
  if (type !== BLOB_TYPE || list < FIRST_LIST) return
  const start = list < FIRST_LONG_LIST ? 2 : 3 + list - FIRST_LONG_LIST
  const first = raw[start]
  if (first !== undefined && first < FIRST_LIST) throw new RpcError(-32602, 'unexpected string')
}

/**
 * Runs hardhat's checks of a message to call or estimate, which precede its lookup of the block.
 *
 * @throws InvalidParamsError or ServerError with hardhat's message
 */
export function checkHardhatCall(request: CallArguments, rules: Pick<ForkRules, 'isActivatedEIP'>): void {
  const { to, gas } = request
  if (request.blobs !== undefined) throw blobsUnsupported('call request', 5182)
  checkFees(request)
  const data = request.input ?? request.data
  if (to === undefined && (data === undefined || data.length === 0)) {
    throw new ServerError('Contract creation without any data provided')
  }
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
 * Checks the arguments of hardhat_reset: a configuration (hardhat: core/jsonrpc/types, hardhat-network.ts).
 *
 * @throws RpcError with hardhat's message
 */
export function checkHardhatReset([configuration, ...more]: readonly unknown[]): void {
  if (more.length > 0) throw refused(`Expected between 0 and 1 arguments and got ${1 + more.length}`)
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
    ([value, place]) => `Invalid value ${shownValue(value)} supplied to : ${place}`,
  )
  return refused(`Errors encountered in param 0: ${mistakeTexts.join(', ')}`)
}

function refused(message: string): RpcError {
  return new RpcError(-32602, message, { data: { message } })
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
