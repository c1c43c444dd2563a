import { UnknownAccountError } from '../chain/accounts/keyring.js'
import { checksumAddress } from '../chain/accounts/address.js'
import {
  ChainError,
  ExecutionFailedError,
  ExecutionRevertedError,
  FailedTransactionError,
  HashNotFoundError,
  HeaderNotFoundError,
  TransactionRejectedError,
  UnsupportedControlError,
} from '../chain/errors.js'
import { bytesToHex } from '../encoding/hex.js'
import { TimestampError } from '../chain/mining/clock.js'
import { InvalidParamsError, MethodNotFoundError, RpcError, ServerError } from './errors.js'
import type { PolicyCall } from './callPolicy.js'
import { hardhatFailure } from './revertMessages.js'
import type { JsonValue } from './wire.js'

/*
 * How hardhat words what it refuses, with its codes: test suites written for hardhat look for the words, and the
 * network-helpers, ethers and viem plugins of hardhat tell by them what went wrong.
 */

/** What a refusal says, from what geth's words for it say and from the facts that they leave out. */
type Wording = (said: readonly string[], facts: TransactionRejectedError['facts']) => string

const FEE_ORDER: Wording = ([, tip, cap], facts) =>
  `maxPriorityFeePerGas (${tip ?? facts['tip']}) is bigger than maxFeePerGas (${cap ?? facts['maxFee']})`
const FUNDS: Wording = ([, balance, cost]) =>
  `Sender doesn't have enough funds to send tx. The max upfront cost is: ${cost} and the sender's balance is: ${balance}.`

/** The code for methods that hardhat does not know (EIP-1474). */
const NOT_SUPPORTED = -32004

/** The newest type of transactions (EIP-7702). */
const LAST_TYPE = 4

const NO_AUTHORIZATION = 'Invalid EIP-7702 transaction: authorization list is empty.'

/** Hardhat's words, and its code where it is not -32000, by what geth's say (EDR: edr_provider, error.rs). */
const refusals: readonly (readonly [geth: RegExp, words: Wording, code?: number])[] = [
  [
    /^nonce too low: next nonce (\d+), tx nonce (\d+)/,
    ([, next, nonce]) => `Transaction nonce too low. Expected nonce to be at least ${next} but got ${nonce}.`,
  ],
  [/^already known/, (_, { hash }) => `Known transaction: ${hash}`],
  [
    /^replacement transaction underpriced$/,
    (_, { name, least, nonce }) =>
      `Replacement transaction underpriced. A gasPrice/${name} of at least ${least} is necessary to replace the existing transaction with nonce ${nonce}.`,
  ],
  [/insufficient funds for gas \* price \+ value: balance (\d+), tx cost (\d+)/, FUNDS],
  [/insufficient funds for gas \* price \+ value: .* have (\d+) want (\d+)/, FUNDS],
  [
    /intrinsic gas too low: (?:gas|have) (\d+), (?:minimum needed|want) (\d+)/,
    ([, gas, least]) => `Transaction requires at least ${least} gas but got ${gas}`,
  ],
  [
    /insufficient gas for floor data gas cost: (?:gas|have) (\d+), (?:minimum needed|want) (\d+)/,
    ([, gas, least]) => `Transaction requires gas floor of ${least} but got limit of ${gas}`,
  ],
  [
    /^exceeds block gas limit$/,
    (_, { gasLimit, blockGasLimit }) =>
      `Transaction gas limit is ${gasLimit} and exceeds block gas limit of ${blockGasLimit}`,
  ],
  [
    /^transaction gas limit too high \(cap: (\d+), tx: (\d+)\)/,
    ([, cap, gas]) => `Transaction gas limit is ${gas} and exceeds transaction gas cap of ${cap}`,
  ],
  [/max priority fee per gas higher than .* maxPriorityFeePerGas: (\d+), maxFeePerGas: (\d+)/, FEE_ORDER],
  [/^max priority fee per gas higher than max fee per gas$/, FEE_ORDER],
  [
    /^maxFeePerGas \((\w+)\) < maxPriorityFeePerGas \((\w+)\)/,
    ([, cap, tip], facts) => FEE_ORDER(['', `${BigInt(tip ?? 0)}`, `${BigInt(cap ?? 0)}`], facts),
  ],
  [/^both gasPrice and \(maxFeePerGas/, () => 'Cannot send both gasPrice and maxFeePerGas params'],
  [/^both gasPrice and authorizationList/, () => 'Cannot send both gasPrice and authorizationList'],
  [/^contract creation without any data/, () => 'Contract creation without any data provided'],
  [
    /^max initcode size exceeded: code size (\d+) limit (\d+)/,
    ([, size, limit]) =>
      `\nTrying to send a deployment transaction whose init code length is ${size}. The max length allowed by EIP-3860 is ${limit}.\n\nEnable the 'allowUnlimitedContractSize' option to allow init codes of any length.`,
    -32602,
  ],
  [
    /invalid chain id for signer: have \d+ want (\d+)/,
    ([, chainId], { type }) =>
      type === 0n
        ? 'Trying to send an incompatible EIP-155 transaction, signed for another chain.'
        : `Trying to send a raw transaction with an invalid chainId. The expected chainId is ${chainId}`,
    -32602,
  ],
  [
    /^request beyond head block: requested (\d+), head (\d+)$/,
    ([, requested, head]) => `Received invalid block tag ${requested}. Latest block number is ${head}`,
  ],
  [
    /^invalid reward percentile: #(\d+):\S+ >= /,
    ([, index]) =>
      `The reward percentiles should be in non-decreasing order, but the percentile number ${Number(index) + 1} is greater than the next one`,
  ],
  [/^unknown block$/, () => 'blockHash cannot be found', -32602],
  [/^transaction type not supported$/, (_, { type }) => `Invalid transaction type ${type}.`, -32602],
  [
    /^(rlp: |typed transaction too short)/,
    (_, { type }) =>
      Number(type ?? 0) > LAST_TYPE ? `Invalid transaction type ${type}.` : 'input too short',
    -32602,
  ],
  [/^set code tx must have at least one authorization tuple$/, () => NO_AUTHORIZATION],
  [/EIP-7702 transaction with empty auth list/, () => NO_AUTHORIZATION],
  [
    /^chainId does not match node's \(have=(\d+), want=(\d+)\)/,
    ([, given, chainId]) => `Invalid chainId ${given} provided, expected ${chainId} instead.`,
    -32602,
  ],
]

/** An error in the words of hardhat; undefined where it has none of its own, or none that says more. */
export function hardhatError(error: unknown): RpcError | undefined {
  if (error instanceof MethodNotFoundError)
    return new RpcError(NOT_SUPPORTED, `Method ${error.method} is not supported`)
  if (error instanceof FailedTransactionError) return hardhatFailure(error.failure, error.hash)
  if (error instanceof ExecutionRevertedError || error instanceof ExecutionFailedError) {
    return hardhatFailure(error)
  }
  if (error instanceof HeaderNotFoundError) {
    const { head, requested } = error
    return new ServerError(`Received invalid block tag ${requested}. Latest block number is ${head}`)
  }
  if (error instanceof HashNotFoundError) {
    const { head, requested } = error
    return new ServerError(
      `Received invalid block tag ${bytesToHex(requested)}. Latest block number is ${head}`,
    )
  }
  if (error instanceof UnknownAccountError && error.address !== undefined) {
    return new ServerError(`Unknown account ${checksumAddress(error.address)}`)
  }
  if (error instanceof TimestampError) return new ServerError(timestampMessage(error))
  if (error instanceof UnsupportedControlError) {
    return new ServerError(error.message.replace(/^anvil_/, 'hardhat_'))
  }
  return error instanceof ChainError || error instanceof ServerError ? refusal(error) : undefined
}

/**
 * Adds the data that every error of hardhat has: its message, and where the request is at fault the request.
 *
 * @param call - as it came
 */
export function withHardhatData(
  error: RpcError,
  { method, params, isLarge }: Pick<PolicyCall, 'method' | 'params' | 'isLarge'>,
): RpcError {
  const { code, message, data, members, status, refusal, cause } = error
  if (data !== undefined || status !== undefined || refusal !== undefined) return error
  const isOfRequest = !isLarge && (error instanceof InvalidParamsError || code === NOT_SUPPORTED)
  const request = isOfRequest ? { method, params: (params ?? []) as JsonValue } : null
  return new RpcError(code, message, { members, cause, data: { message, data: request } })
}

function refusal(error: ChainError | ServerError): RpcError | undefined {
  const facts = error instanceof TransactionRejectedError ? error.facts : {}
  for (const [geth, words, code = -32000] of refusals) {
    const said = geth.exec(error.message)
    if (said !== null) return new RpcError(code, words(said, facts))
  }
  return undefined
}

function timestampMessage({ message }: TimestampError): string {
  const [, timestamp, relation, parent] =
    /^Timestamp error: (\d+) is (lower than|equal to) .*?(\d+)?$/.exec(message) ?? []
  if (relation === undefined) return message
  if (relation === 'lower than') {
    return `Timestamp ${timestamp} is lower than the previous block's timestamp ${parent}`
  }
  return `Timestamp ${timestamp} is equal to the previous block's timestamp. Enable the 'allowBlocksWithSameTimestamp' option to allow this`
}
