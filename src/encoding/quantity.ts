import { bytesToPlainHex, type Hex } from './hex.js'
import { writeHexDigits } from './bytes.js'

/** A number as a JSON-RPC QUANTITY: minimal hexadecimal digits behind `0x`, zero is `0x0`. */
export function quantity(value: bigint | number): Hex {
  return `0x${value.toString(16)}`
}

const WORD_BITS = 64n
const WORD_BYTES = 8
/** Six bytes are exact as a number. */
const LARGEST_OF_SIX_BYTES = 2n ** 48n - 1n

/** A big-endian byte string read as an unsigned number; no bytes are zero. */
export function bytesToBigint(bytes: Uint8Array): bigint {
  const { length } = bytes
  if (length <= WORD_BYTES) return smallBigintAt(bytes, 0, length)
  return BigInt(`0x${bytesToPlainHex(bytes)}`)
}

const word = new Uint8Array(WORD_BYTES)
const wordView = new DataView(word.buffer)

/** At most eight big-endian bytes within others, read as an unsigned number: BigInt(number) would leave compiled code. */
export function smallBigintAt(bytes: Uint8Array, start: number, length: number): bigint {
  if (length === 0) return 0n
  wordView.setBigUint64(0, 0n)
  for (let from = start + length, to = WORD_BYTES; from > start;) word[--to] = bytes[--from] as number
  return wordView.getBigUint64(0)
}

/** An unsigned number as exactly `length` big-endian bytes; higher bits are cut off. */
export function bigintToBytes(value: bigint, length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  if (value <= LARGEST_OF_SIX_BYTES) {
    writeSmall(Number(value), bytes, length)
    return bytes
  }
  const view = new DataView(bytes.buffer)
  let rest = value
  let end = length
  for (; end >= WORD_BYTES && rest !== 0n; end -= WORD_BYTES) {
    view.setBigUint64(end - WORD_BYTES, BigInt.asUintN(64, rest))
    rest >>= WORD_BITS
  }
  if (rest === 0n || end === 0) return bytes
  if (end === 7) bytes[0] = Number((rest >> 48n) & 0xffn)
  writeSmall(Number(BigInt.asUintN(8 * Math.min(end, 6), rest)), bytes, end)
  return bytes
}

/** An unsigned number as RLP holds it: big-endian without leading zeros, zero is no bytes. */
export function minimalBytes(value: bigint): Uint8Array {
  if (value <= LARGEST_OF_SIX_BYTES) {
    const small = Number(value)
    const length = byteLength(small)
    const bytes = new Uint8Array(length)
    writeSmall(small, bytes, length)
    return bytes
  }
  if (value > LARGEST_OF_SCRATCH) return manyBytes(value)
  // Of a larger number the lowest eight bytes are written.
  scratchView.setBigUint64(WORD_BYTES, value)
  scratchView.setBigUint64(0, value >> WORD_BITS)
  let start = 0
  while (scratch[start] === 0) start++
  const bytes = new Uint8Array(scratch.length - start)
  for (let i = 0; i < bytes.length; i++) bytes[i] = scratch[start + i] as number
  return bytes
}

const scratch = new Uint8Array(2 * WORD_BYTES)
const scratchView = new DataView(scratch.buffer)
const LARGEST_OF_SCRATCH = 2n ** 128n - 1n

function manyBytes(value: bigint): Uint8Array {
  const digits = value.toString(16)
  const bytes = new Uint8Array((digits.length + 1) >>> 1)
  writeHexDigits(digits.length % 2 === 0 ? digits : `0${digits}`, bytes)
  return bytes
}

/** Bytes that a number of at most six takes. */
function byteLength(value: number): number {
  let length = 0
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) length++
  return length
}

/** Writes a number of at most six bytes so that it ends before `end`: without a bigint for each byte. */
function writeSmall(value: number, bytes: Uint8Array, end: number): void {
  let at = end
  for (let rest = value; rest > 0 && at > 0; rest = Math.floor(rest / 256)) bytes[--at] = rest
}
