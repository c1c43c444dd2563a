import type { ForkRules } from '../../chain/types.js'
import { MAX_TRANSACTION_GAS } from '../../chain/evm/forkSchedule.js'
import { InvalidParamsError, RpcError, ServerError } from '../errors.js'
import type { CallArguments } from '../params/callObject.js'

/**
 * What hardhat refuses of a transaction that it is to sign before it looks for the sender's key (EDR: edr_provider,
 * requests/validation.rs).
 *
 * @throws InvalidParamsError or ServerError in its words
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
 * What hardhat refuses of a message to call or to estimate before it looks for the block.
 *
 * @throws InvalidParamsError or ServerError in its words
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
 * What hardhat refuses of a fee history.
 *
 * @throws ServerError in its words
 */
export function checkHardhatFeeHistory(count: bigint, percentiles: readonly number[]): void {
  if (count < 1n) throw new ServerError('blockCount should be at least 1')
  if (count > MOST_FEE_BLOCKS) throw new ServerError(`blockCount should be at most ${MOST_FEE_BLOCKS}`)
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

const MOST_FEE_BLOCKS = 1024n

/** Both names of the data are one field. */
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
