import { bytesToBigint } from '../../encoding/quantity.js'

const LARGEST_OF_EIGHT_BYTES = 2n ** 64n - 1n

let viewed: ArrayBufferLike = new ArrayBuffer(0)
let view: DataView = new DataView(viewed)

/** A view on the memory of bytes: one after another of the same memory is asked for, and making one costs more than using it. */
function viewOf({ buffer }: Uint8Array): DataView {
  if (buffer === viewed) return view
  viewed = buffer
  view = new DataView(buffer)
  return view
}

/** 32 big-endian bytes as a number; most words on a stack are small. */
export function readWord(bytes: Uint8Array, offset: number): bigint {
  const memory = viewOf(bytes)
  const at = bytes.byteOffset + offset
  const low = memory.getBigUint64(at + 24)
  const isSmall =
    memory.getUint32(at) === 0 &&
    memory.getUint32(at + 4) === 0 &&
    memory.getUint32(at + 8) === 0 &&
    memory.getUint32(at + 12) === 0 &&
    memory.getUint32(at + 16) === 0 &&
    memory.getUint32(at + 20) === 0
  if (isSmall) return low
  const upper = (memory.getBigUint64(at) << 64n) | memory.getBigUint64(at + 8)
  return (upper << 128n) | (memory.getBigUint64(at + 16) << 64n) | low
}

/** Writes a number as 32 big-endian bytes. */
export function writeWord(bytes: Uint8Array, offset: number, word: bigint): void {
  const memory = viewOf(bytes)
  const at = bytes.byteOffset + offset
  // Eight bytes are written of a larger number too: its lowest.
  memory.setBigUint64(at + 24, word)
  if (word <= LARGEST_OF_EIGHT_BYTES) {
    memory.setFloat64(at, 0)
    memory.setFloat64(at + 8, 0)
    memory.setFloat64(at + 16, 0)
    return
  }
  memory.setBigUint64(at, word >> 192n)
  memory.setBigUint64(at + 8, word >> 128n)
  memory.setBigUint64(at + 16, word >> 64n)
}

/** A number as 32 big-endian bytes. */
export function wordToBytes(word: bigint): Uint8Array {
  const bytes = new Uint8Array(32)
  writeWord(bytes, 0, word)
  return bytes
}

/** At most 32 big-endian bytes as a number; no bytes are zero. */
export function toWord(value: Uint8Array): bigint {
  return value.length === 32 ? readWord(value, 0) : bytesToBigint(value)
}

const scratch = new Uint8Array(32)

/** The 20-byte address in the lower bytes of a word. */
export function wordToAddress(word: bigint): Uint8Array {
  writeWord(scratch, 0, word)
  return scratch.slice(12)
}
