import type { ExecutionFailedError, ExecutionRevertedError } from '../chain/errors.js'
import { decodeErrorText, decodePanicCode } from '../chain/evm/revertReason.js'
import { bytesToHex } from '../encoding/hex.js'
import { RpcError, ServerError } from './errors.js'

/*
 * How hardhat and ganache word a failed execution, as test suites written for them look for it.
 */

const PREFIX = 'VM Exception while processing transaction:'

/** The meaning of Solidity's panic codes in the words of hardhat (EDR: edr_solidity, error_inferrer). */
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
 * A failed execution as hardhat 2 answers it: code -32603, or -32000 where gas ran out, and as data an object of the
 * message, what was returned and, of a mined transaction, its hash.
 *
 * @param transactionHash - 32 bytes, of a transaction that was mined
 */
export function hardhatFailure(
  failure: ExecutionRevertedError | ExecutionFailedError,
  transactionHash?: Uint8Array,
): RpcError {
  const txHash = transactionHash && bytesToHex(transactionHash)
  if (/^(out of gas|gas required)/.test(failure.message)) {
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

/** A REVERT in the words of ganache, which decodes Error(string) alone. */
export function ganacheRevert({ data }: Pick<ExecutionRevertedError, 'data'>): RpcError {
  const reason = decodeErrorText(data)
  const words = `${PREFIX} revert${reason === undefined ? '' : ` ${reason}`}`
  return new RpcError(-32000, words, { data: bytesToHex(data) })
}

/** A failure that is no REVERT in the words of ganache. */
export function ganacheFailure({ message }: Pick<ExecutionFailedError, 'message'>): RpcError {
  const cause = /^(out of gas|invalid opcode)/.exec(message)?.[0] ?? message
  return new ServerError(`${PREFIX} ${cause}`)
}
