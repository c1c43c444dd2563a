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
  if (request.blobs !== undefined) {
    throw new ServerError(
      'An EIP-4844 (shard blob) transaction was received, but Hardhat only supports them via `eth_sendRawTransaction`. See https://github.com/NomicFoundation/hardhat/issues/5023',
    )
  }
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
  if (gas !== undefined && gas > MAX_TRANSACTION_GAS && rules.isActivatedEIP(7825)) {
    throw new ServerError(`transaction gas limit (${gas}) is greater than the cap (${MAX_TRANSACTION_GAS})`)
  }
}

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
