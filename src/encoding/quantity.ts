import type { Hex } from './hex.js'

/** A number as a JSON-RPC QUANTITY: minimal hexadecimal digits behind `0x`, zero is `0x0`. */
export function quantity(value: bigint | number): Hex {
  return `0x${value.toString(16)}`
}

/** A big-endian byte string read as an unsigned number; no bytes are zero. */
export function bytesToBigint(bytes: Uint8Array): bigint {
  if (bytes.length === 0) return 0n
  return BigInt(`0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`)
}

/** An unsigned number as exactly `length` big-endian bytes; higher bits are cut off. */
export function bigintToBytes(value: bigint, length: number): Uint8Array {
  const digits = BigInt.asUintN(length * 8, value)
    .toString(16)
    .padStart(length * 2, '0')
  const bytes = new Uint8Array(length)
  Buffer.from(bytes.buffer).write(digits, 'hex')
  return bytes
}
