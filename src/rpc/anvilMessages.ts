import { TimestampError } from '../chain/mining/schedule.js'
import { isUtf8 } from 'node:buffer'
import {
  ChainError,
  ExecutionFailedError,
  ExecutionRevertedError,
  HashNotFoundError,
  HeaderNotFoundError,
  NothingLeftForGasError,
} from '../chain/errors.js'
import { decodeErrorText, decodePanicCode } from '../chain/evm/revertReason.js'
import { bytesToHex, bytesToPlainHex } from '../encoding/hex.js'
import { MethodNotFoundError, RevertError, RpcError } from './errors.js'
import { revmFailure } from './revmFailure.js'

/*
 * Anvil's error messages and codes. Client libraries choose their error classes by both, and test suites written for
 * anvil match the text.
 */

/** Anvil's texts for Solidity panic codes (alloy: sol-types, PanicKind). */
const panicReasons: ReadonlyMap<bigint, string> = new Map([
  [0x00n, 'generic/unspecified error'],
  [0x01n, 'assertion failed'],
  [0x11n, 'arithmetic underflow or overflow'],
  [0x12n, 'division or modulo by zero'],
  [0x21n, 'failed to convert value into enum type'],
  [0x22n, 'storage byte array incorrectly encoded'],
  [0x31n, 'called `.pop()` on an empty array'],
  [0x32n, 'array out-of-bounds access'],
  [0x41n, 'memory allocation error'],
  [0x51n, 'called an invalid internal function'],
])

/** Anvil's code and message for each geth message (foundry: anvil/src/eth/error.rs). */
const refusals: readonly (readonly [geth: RegExp, code: number, message: string])[] = [
  [/nonce too low/, -32003, 'nonce too low'],
  [/^already known/, -32003, 'transaction already imported'],
  [/replacement transaction underpriced/, -32003, 'replacement transaction underpriced'],
  [/insufficient funds for/, -32003, 'Insufficient funds for gas * price + value'],
  [
    /max fee per gas less than block base fee|^(gasPrice|maxFeePerGas) must be non-zero/,
    -32003,
    'max fee per gas less than block base fee',
  ],
  [
    /^(err: |failed with \d+ gas: )?max priority fee per gas higher than max fee per gas: /,
    -32602,
    'Invalid input: `max_priority_fee_per_gas` greater than `max_fee_per_gas`',
  ],
  [
    /max priority fee per gas higher than|^maxFeePerGas .* < maxPriorityFeePerGas/,
    -32003,
    'max priority fee per gas higher than max fee per gas',
  ],
  [/invalid chain id for signer|^chainId does not match node's/, -32003, 'invalid chain id for signer'],
  [
    /exceeds block gas limit|gas limit reached/,
    -32000,
    'intrinsic gas too high -- tx.gas_limit > env.block.gas_limit',
  ],
  [
    /^(err|tracing failed): intrinsic gas too low/,
    -32000,
    'intrinsic gas too high -- CallGasCostMoreThanGasLimit',
  ],
  [/intrinsic gas too low/, -32000, 'intrinsic gas too low'],
  [/^max initcode size exceeded/, -32003, 'max initcode size exceeded'],
  [/^unknown account$/, -32602, 'No Signer available'],
  [/EIP-7702 transaction with empty auth list/, -32003, 'empty authorization list'],
  [
    /^(rlp: |typed transaction too short|transaction type not|missing sidecar|need at least 1 blob)/,
    -32602,
    'Failed to decode transaction',
  ],
]

/** Returns anvil's version of an error; undefined if anvil has none, or none more specific. */
export function anvilError(error: unknown): RpcError | undefined {
  if (error instanceof MethodNotFoundError) return new RpcError(-32601, 'Method not found')
  if (error instanceof ExecutionRevertedError)
    return new RevertError(anvilRevertMessage(error.data), bytesToHex(error.data))
  if (error instanceof HashNotFoundError) return new RpcError(-32001, 'Resource not found')
  if (error instanceof HeaderNotFoundError) {
    const { head, requested } = error
    const message = `BlockOutOfRangeError: block height is ${head} but requested was ${requested}`
    return new RpcError(-32602, message)
  }
  if (!(error instanceof ChainError)) return undefined
  const { message } = error
  if (error instanceof TimestampError) return new RpcError(-32602, message.replace(/(timestamp) \d+$/, '$1'))
  const [allowance] =
    /(?<=^gas required exceeds allowance \(|^(failed with \d+ gas: )?intrinsic gas too low: have )\d+/.exec(
      message,
    ) ?? []
  if (allowance !== undefined) return outOfGas(allowance)
  if (error instanceof NothingLeftForGasError && error.coversValue) return outOfGas('0')
  if (error instanceof ExecutionFailedError) {
    const name = revmFailure(message)
    return name === undefined ? undefined : new RpcError(-32603, `EVM error ${name}`)
  }
  const [, type] = /^Invalid primary type `(.*?)`/.exec(message) ?? []
  if (type !== undefined) return new RpcError(-32602, `missing type in type resolution: ${type}`)
  const [, code, anvilMessage] = refusals.find(([geth]) => geth.test(message)) ?? []
  return code === undefined || anvilMessage === undefined ? undefined : new RpcError(code, anvilMessage)
}

function outOfGas(allowance: string): RpcError {
  return new RpcError(-32003, `Out of gas: gas required exceeds allowance: ${allowance}`)
}

/**
 * Describes revert data like anvil, which treats anything that can be text as text (foundry: evm/core/src/decode.rs).
 */
function anvilRevertMessage(data: Uint8Array): string {
  const text = decodeErrorText(data)
  if (text !== undefined) return `execution reverted: ${text}`
  const code = decodePanicCode(data)
  if (code !== undefined) {
    const reason = panicReasons.get(code) ?? 'unknown code'
    return `execution reverted: panic: ${reason} (0x${code.toString(16).padStart(2, '0')})`
  }
  if (data.length === 0) return 'execution reverted'
  if (data.every((byte) => byte < 0x80)) return `execution reverted: ${Buffer.from(data).toString('latin1')}`
  if (data.length < 4) return `execution reverted: custom error bytes ${bytesToHex(data)}`
  const [selector, rest] = [data.subarray(0, 4), data.subarray(4)]
  const values =
    rest.length === 0 ? '' : `: ${isUtf8(rest) ? Buffer.from(rest).toString() : bytesToPlainHex(rest)}`
  return `execution reverted: custom error ${bytesToHex(selector)}${values}`
}
