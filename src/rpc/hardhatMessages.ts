import {
  InvalidParamsError,
  MethodNotFoundError,
  RpcError,
  ServerError,
  TransactionNotFoundError,
} from './errors.js'
import type { PolicyCall } from './callPolicy.js'
import { LARGE_CALL } from './envelope/body.js'
import type { JsonValue } from './wire.js'
import { checksumAddress } from '../chain/accounts/address.js'
import { UnknownAccountError } from '../chain/accounts/keyring.js'
import {
  ChainError,
  ExecutionFailedError,
  ExecutionRevertedError,
  FailedTransactionError,
  HashNotFoundError,
  HeaderNotFoundError,
  MessageRejectedError,
  TransactionRejectedError,
  UnsupportedControlError,
} from '../chain/errors.js'
import { decodeErrorText, decodePanicCode } from '../chain/evm/revertReason.js'
import { TimestampError } from '../chain/mining/schedule.js'
import { bytesToHex } from '../encoding/hex.js'

/*
 * Hardhat's error messages and codes. Test suites written for hardhat match the text, and its network-helpers, ethers
 * and viem plugins use it to identify errors.
 */

/** Words an error, given the match on geth's message and the facts that geth omits. */
type MessageFormat = (match: readonly string[], facts: TransactionRejectedError['facts']) => string

const FEE_ORDER: MessageFormat = ([, tip, cap], facts) =>
  `maxPriorityFeePerGas (${tip ?? facts['tip']}) is bigger than maxFeePerGas (${cap ?? facts['maxFee']})`
const FUNDS: MessageFormat = ([, balance, cost]) =>
  `Sender doesn't have enough funds to send tx. The max upfront cost is: ${cost} and the sender's balance is: ${balance}.`

/** Code for methods that hardhat does not know (EIP-1474). */
const NOT_SUPPORTED = -32004

const NO_AUTHORIZATION = 'Invalid EIP-7702 transaction: authorization list is empty.'

/** Hardhat's message for each geth message, and its code unless -32000 (EDR: edr_provider, error.rs). */
const refusals: readonly (readonly [geth: RegExp, format: MessageFormat, code?: number])[] = [
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
    /cannot specify both BlockHash and FromBlock\/ToBlock/,
    () => 'blockHash is mutually exclusive with fromBlock/toBlock',
    -32602,
  ],
  [
    /has both 'state' and 'stateDiff'$/,
    () =>
      "The properties 'state' and 'stateDiff' cannot be used simultaneously when configuring the state override set passed to the eth_call method.",
  ],
  [
    /blob fee cap (\d+), minimum needed (\d+)/,
    ([, cap, least]) =>
      `Transaction maxFeePerBlobGas (${cap}) is too low for the next block, which has a baseFeePerBlobGas of ${least}`,
  ],
  [/^unknown block$/, () => 'blockHash cannot be found', -32602],
  [/^rlp: expected (input list|List)/, () => 'unexpected string', -32602],
  [/^rlp: expected input string or byte/, () => 'unexpected list', -32602],
  [/^(rlp: |typed transaction too short|unexpected EOF$)/, () => 'input too short', -32602],
  [/^Invalid primary type `(.*?)`/, ([, type]) => `missing type in type resolution: ${type}`],
  [/^set code tx must have at least one authorization tuple$/, () => NO_AUTHORIZATION],
  [/EIP-7702 transaction with empty auth list/, () => NO_AUTHORIZATION],
  [
    /^chainId does not match node's \(have=(\d+), want=(\d+)\)/,
    ([, given, chainId]) => `Invalid chainId ${given} provided, expected ${chainId} instead.`,
    -32602,
  ],
]

/** Returns hardhat's version of an error; undefined if hardhat has none, or none more specific. */
export function hardhatError(error: unknown): RpcError | undefined {
  if (error instanceof MethodNotFoundError)
    return new RpcError(NOT_SUPPORTED, `Method ${error.method} is not supported`)
  if (error instanceof FailedTransactionError) return hardhatFailure(error.failure, error.hash)
  if (error instanceof ExecutionRevertedError || error instanceof ExecutionFailedError) {
    return hardhatFailure(error)
  }
  if (error instanceof MessageRejectedError && error.message.includes('max initcode size exceeded')) {
    return new ServerError('create initcode size limit')
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
  if (error instanceof TransactionNotFoundError) {
    return new ServerError(`Unable to find a block containing transaction ${bytesToHex(error.hash)}`)
  }
  if (error instanceof TimestampError) return new ServerError(timestampMessage(error))
  if (error instanceof UnsupportedControlError) {
    return new ServerError(error.message.replace(/^anvil_/, 'hardhat_'))
  }
  return error instanceof ChainError || error instanceof RpcError ? refusal(error) : undefined
}

/**
 * Adds the data that every hardhat error carries: its message and, if the request is at fault, the request.
 *
 * @param call - with undecoded parameters
 */
export function withHardhatData(
  error: RpcError,
  { method, params, length }: Pick<PolicyCall, 'method' | 'params' | 'length'>,
): RpcError {
  const { code, message, data, members, status, refusal, cause } = error
  if (data !== undefined || status !== undefined || refusal !== undefined) return error
  const isRequestError =
    length <= LARGE_CALL && (error instanceof InvalidParamsError || code === NOT_SUPPORTED)
  const request = isRequestError ? { method, params: (params ?? []) as JsonValue } : null
  return new RpcError(code, message, { members, cause, data: { message, data: request } })
}

function refusal(error: ChainError | RpcError): RpcError | undefined {
  const facts = error instanceof TransactionRejectedError ? error.facts : {}
  for (const [geth, format, code = -32000] of refusals) {
    const match = geth.exec(error.message)
    if (match !== null) return new RpcError(code, format(match, facts))
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

/* Messages of failed executions in hardhat and ganache, as test suites written for them expect. */

const PREFIX = 'VM Exception while processing transaction:'

/** Hardhat's texts for Solidity panic codes (EDR: edr_solidity, error_inferrer). */
const panicReasons: ReadonlyMap<bigint, string> = new Map([
  [0x01n, 'Assertion error'],
  [0x11n, 'Arithmetic operation overflowed outside of an unchecked block'],
  [0x12n, 'Division or modulo division by zero'],
  [0x21n, 'Tried to convert a value into an enum, but the value was too big or negative'],
  [0x22n, 'Incorrectly encoded storage byte array'],
  [0x31n, '.pop() was called on an empty array'],
  [0x32n, 'Array accessed at an out-of-bounds or negative index'],
  [0x41n, 'Too much memory was allocated, or an array was created that is too large'],
  [0x51n, 'Called a zero-initialized variable of internal function type'],
])

/**
 * Returns a failed execution as hardhat 2 reports it: code -32603, or -32000 if out of gas. The data is an object with
 * the message, the return data and, for a mined transaction, its hash.
 *
 * @param transactionHash - 32 bytes, if the transaction was mined
 */
function hardhatFailure(
  failure: ExecutionRevertedError | ExecutionFailedError,
  transactionHash?: Uint8Array,
): RpcError {
  const txHash = transactionHash && bytesToHex(transactionHash)
  if (/^(out of gas|gas required|gas uint64 overflow)/.test(failure.message)) {
    const message = 'Transaction ran out of gas'
    return new RpcError(-32000, message, { data: { message, txHash: txHash ?? null, data: '0x' } })
  }
  const message = `Error: ${hardhatFailureMessage(failure)}`
  const data = 'data' in failure ? bytesToHex(failure.data) : '0x'
  return new RpcError(-32603, message, { data: { message, txHash, data } })
}

function hardhatFailureMessage(failure: ExecutionRevertedError | ExecutionFailedError): string {
  if ('data' in failure) return hardhatRevertMessage(failure.data)
  if (failure.message.startsWith('invalid opcode')) return `${PREFIX} invalid opcode`
  if (failure.message.startsWith('max code size exceeded')) {
    return 'Transaction reverted: trying to deploy a contract whose code is too large'
  }
  return hardhatRevertMessage(new Uint8Array(0))
}

function hardhatRevertMessage(data: Uint8Array): string {
  if (data.length === 0) return 'Transaction reverted without a reason string'
  const text = decodeErrorText(data)
  if (text !== undefined) return `${PREFIX} reverted with reason string '${text}'`
  const code = decodePanicCode(data)
  if (code === undefined) {
    return `${PREFIX} reverted with an unrecognized custom error (return data: ${bytesToHex(data)})`
  }
  const [number, reason] = [`0x${code.toString(16)}`, panicReasons.get(code)]
  if (reason === undefined) return `${PREFIX} reverted with unknown panic code ${number}`
  return `${PREFIX} reverted with panic code ${number} (${reason})`
}

/** Returns a revert with ganache's message; ganache decodes only Error(string). */
export function ganacheRevert({ data }: Pick<ExecutionRevertedError, 'data'>): RpcError {
  const reason = decodeErrorText(data)
  const message = `${PREFIX} revert${reason === undefined ? '' : ` ${reason}`}`
  return new RpcError(-32000, message, { data: bytesToHex(data) })
}

/** Returns a failure other than a revert with ganache's message. */
export function ganacheFailure({ message }: Pick<ExecutionFailedError, 'message'>): RpcError {
  const cause = /^(out of gas|invalid opcode)/.exec(message)?.[0] ?? message
  return new ServerError(`${PREFIX} ${cause}`)
}
