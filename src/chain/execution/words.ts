import { bigintToBytes } from '../../encoding/quantity.js'

const MASK = 0xffff_ffff_ffff_ffffn

/** 32 big-endian bytes as a number; most words on a stack are small. */
export function readWord(bytes: Uint8Array, offset: number): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset, 32)
  const low = view.getBigUint64(24)
  const upper = [view.getBigUint64(0), view.getBigUint64(8), view.getBigUint64(16)] as const
  if (upper[0] === 0n && upper[1] === 0n && upper[2] === 0n) return low
  return (upper[0] << 192n) | (upper[1] << 128n) | (upper[2] << 64n) | low
}

/** Writes a number as 32 big-endian bytes. */
export function writeWord(bytes: Uint8Array, offset: number, word: bigint): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset, 32)
  if (word <= MASK) {
    bytes.fill(0, offset, offset + 24)
    view.setBigUint64(24, word)
    return
  }
  view.setBigUint64(0, word >> 192n)
  view.setBigUint64(8, (word >> 128n) & MASK)
  view.setBigUint64(16, (word >> 64n) & MASK)
  view.setBigUint64(24, word & MASK)
}

/** At most 32 big-endian bytes as a number; no bytes are zero. */
export function toWord(value: Uint8Array): bigint {
  if (value.length === 32) return readWord(value, 0)
  let word = 0n
  for (const byte of value) word = (word << 8n) | BigInt(byte)
  return word
}

/** The 20-byte address in the lower bytes of a word. */
export function wordToAddress(word: bigint): Uint8Array {
  return bigintToBytes(word, 20)
}
