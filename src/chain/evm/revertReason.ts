import { isUtf8 } from 'node:buffer'
import { textOfBytes, wellFormed } from '../../encoding/byteText.js'
import { bytesToBigint, bytesToPlainHex } from '../../encoding/hex.js'
import { ExecutionRevertedError } from '../errors.js'

/** geth's message for a frame that reverted (core/vm/errors.go). */
export const REVERTED = 'execution reverted'

/** Selector of Error(string). */
const ERROR_SELECTOR = '08c379a0'
/** Selector of Panic(uint256). */
const PANIC_SELECTOR = '4e487b71'
const WORD = 32
/** Longest text in bytes that is decoded although it is no UTF-8, which takes much longer. */
const MAX_BROKEN_TEXT_LENGTH = 64 * 1024

/** Meanings of Solidity's panic codes, with geth's texts (accounts/abi/abi.go). */
const panicReasons: ReadonlyMap<bigint, string> = new Map([
  [0x00n, 'generic panic'],
  [0x01n, 'assert(false)'],
  [0x11n, 'arithmetic underflow or overflow'],
  [0x12n, 'division or modulo by zero'],
  [0x21n, 'enum overflow'],
  [0x22n, 'invalid encoded storage byte array accessed'],
  [0x31n, 'out-of-bounds array access; popping on an empty array'],
  [0x32n, 'out-of-bounds access of an array or bytesN'],
  [0x41n, 'out of memory'],
  [0x51n, 'uninitialized function'],
])

/** Creates the error that a caller sees for the data of a REVERT. */
export function revertError(data: Uint8Array): ExecutionRevertedError {
  const reason = decodeRevertReason(data)
  const message = reason === undefined ? REVERTED : `${REVERTED}: ${reason}`
  return new ExecutionRevertedError(message, data)
}

/** Decodes the data of a REVERT: the text of Error(string) or the meaning of a Panic; undefined for anything else. */
export function decodeRevertReason(data: Uint8Array): string | undefined {
  const code = decodePanicCode(data)
  if (code === undefined) return decodeErrorText(data)
  return panicReasons.get(code) ?? `unknown panic code: 0x${code.toString(16)}`
}

/** Decodes the text of Error(string); undefined for anything else. */
export function decodeErrorText(data: Uint8Array): string | undefined {
  return hasSelector(data, ERROR_SELECTOR) ? decodeString(data.subarray(4)) : undefined
}

/** Decodes the code of Panic(uint256); undefined for anything else. */
export function decodePanicCode(data: Uint8Array): bigint | undefined {
  if (!hasSelector(data, PANIC_SELECTOR) || data.length < 4 + WORD) return undefined
  return bytesToBigint(data.subarray(4, 4 + WORD))
}

function hasSelector(data: Uint8Array, selector: string): boolean {
  return bytesToPlainHex(data.subarray(0, 4)) === selector
}

/** Decodes an ABI-encoded tuple with a single string; undefined if it is not one, or is long and no text. */
function decodeString(values: Uint8Array): string | undefined {
  const start = readLength(values, 0)
  if (start === undefined) return undefined
  const length = readLength(values, start)
  if (length === undefined) return undefined
  const text = values.subarray(start + WORD, start + WORD + length)
  if (text.length !== length) return undefined
  if (isUtf8(text)) return textOfBytes(text)
  return length > MAX_BROKEN_TEXT_LENGTH ? undefined : wellFormed(textOfBytes(text))
}

/** Reads a word that is an offset or length within the data; undefined if it exceeds the data. */
function readLength(values: Uint8Array, at: number): number | undefined {
  if (at + WORD > values.length) return undefined
  const length = bytesToBigint(values.subarray(at, at + WORD))
  return length <= BigInt(values.length) ? Number(length) : undefined
}
