import { type SlotKey, bytesKey } from '../state/account.js'

const MAX_HALF = 2 ** 32 - 1
const MAX_OF_EIGHT_BYTES = 2n ** 64n - 1n

/**
 * A word as four 64-bit parts, lowest first, and as their halves.
 *
 * V8 inlines bigint access to a typed array, but calls a function for a DataView.
 */
const parts = new BigUint64Array(4)
const halves = new Uint32Array(parts.buffer)
parts[0] = 1n
/** Index of the lower half within a part, by the byte order of the machine. */
const LOW = halves[0] === 1 ? 0 : 1
const HIGH = 1 - LOW

/** Converts a non-negative integer to a bigint. */
export function integerWord(value: number): bigint {
  if (value > MAX_HALF) return BigInt(value)
  halves[LOW] = value
  halves[HIGH] = 0
  return parts[0] as bigint
}

/** Returns the lowest byte of a word. */
export function lowestByte(word: bigint): number {
  parts[0] = word
  return (halves[LOW] as number) & 0xff
}

/** Reads 32 big-endian bytes, with a fast path for small numbers, the most common stack words. */
function wordIn(view: DataView, at: number): bigint {
  halves[LOW] = view.getUint32(at + 28)
  halves[HIGH] = view.getUint32(at + 24)
  const a = view.getUint32(at)
  const b = view.getUint32(at + 4)
  const c = view.getUint32(at + 8)
  const d = view.getUint32(at + 12)
  const e = view.getUint32(at + 16)
  const f = view.getUint32(at + 20)
  if ((a | b | c | d | e | f) === 0) return parts[0] as bigint
  halves[2 + LOW] = f
  halves[2 + HIGH] = e
  halves[4 + LOW] = d
  halves[4 + HIGH] = c
  halves[6 + LOW] = b
  halves[6 + HIGH] = a
  const upper = ((parts[3] as bigint) << 64n) | (parts[2] as bigint)
  return (upper << 128n) | ((parts[1] as bigint) << 64n) | (parts[0] as bigint)
}

function putWord(view: DataView, at: number, word: bigint): void {
  // Takes the lowest 64 bits of a larger number.
  parts[0] = word
  view.setUint32(at + 28, halves[LOW] as number)
  view.setUint32(at + 24, halves[HIGH] as number)
  if (word <= MAX_OF_EIGHT_BYTES) {
    view.setFloat64(at, 0)
    view.setFloat64(at + 8, 0)
    view.setFloat64(at + 16, 0)
    return
  }
  parts[1] = word >> 64n
  parts[2] = word >> 128n
  parts[3] = word >> 192n
  view.setUint32(at + 20, halves[2 + LOW] as number)
  view.setUint32(at + 16, halves[2 + HIGH] as number)
  view.setUint32(at + 12, halves[4 + LOW] as number)
  view.setUint32(at + 8, halves[4 + HIGH] as number)
  view.setUint32(at + 4, halves[6 + LOW] as number)
  view.setUint32(at, halves[6 + HIGH] as number)
}

let viewed: ArrayBufferLike = new ArrayBuffer(0)
let memoryView: DataView = new DataView(viewed)

/** Returns a view of a frame's memory, cached because creating one costs more than using it. */
export function viewOfMemory({ buffer }: Uint8Array): DataView {
  if (buffer === viewed) return memoryView
  viewed = buffer
  memoryView = new DataView(buffer)
  return memoryView
}

/** Reads a word from the memory of a frame. */
export function readMemoryWord(memory: Uint8Array, offset: number): bigint {
  return wordIn(viewOfMemory(memory), memory.byteOffset + offset)
}

/** Writes a number as 32 big-endian bytes to the memory of a frame. */
export function writeMemoryWord(memory: Uint8Array, offset: number, word: bigint): void {
  putWord(viewOfMemory(memory), memory.byteOffset + offset, word)
}

const scratch = new Uint8Array(32)
const scratchView = new DataView(scratch.buffer)

/** Returns a number as 32 big-endian bytes. */
export function wordToBytes(word: bigint): Uint8Array {
  putWord(scratchView, 0, word)
  return scratch.slice()
}

/** Reads 32 big-endian bytes as a number; bytes beyond the end are zero. */
export function readWord(bytes: Uint8Array, offset: number): bigint {
  const count = Math.min(32, bytes.length - offset)
  for (let i = 0; i < count; i++) scratch[i] = bytes[offset + i] as number
  for (let i = count; i < 32; i++) scratch[i] = 0
  return wordIn(scratchView, 0)
}

/**
 * Converts at most 32 big-endian bytes to a number; empty is zero.
 *
 * The bytes are copied one by one: a view would move a short array's bytes out of V8's heap, and a number of up to six
 * bytes would become a bigint in V8's runtime.
 */
export function toWord(value: Uint8Array): bigint {
  const { length } = value
  if (length === 0) return 0n
  scratchView.setFloat64(0, 0)
  scratchView.setFloat64(8, 0)
  scratchView.setFloat64(16, 0)
  scratchView.setFloat64(24, 0)
  for (let i = 0, at = 32 - length; i < length; i++, at++) scratch[at] = value[i] as number
  return wordIn(scratchView, 0)
}

/** Returns the 20-byte address in the lower bytes of a word. */
export function wordToAddress(word: bigint): Uint8Array {
  putWord(scratchView, 0, word)
  return scratch.slice(12)
}

interface CachedSlot extends SlotKey {
  readonly word: bigint
}

/** Recently used slots, indexed by their lowest byte. */
const known: (CachedSlot | undefined)[] = new Array<undefined>(256).fill(undefined)

/**
 * Returns the key of the slot that a stack word names.
 *
 * One SLOAD needs the slot three times, a subsequent SSTORE four times, and the next call of the contract again; making
 * the key takes longer than looking up the slot by it.
 */
export function slotOfWord(word: bigint): SlotKey {
  const index = lowestByte(word)
  const found = known[index]
  if (found?.word === word) return found
  const bytes = wordToBytes(word)
  const slot = { word, bytes, name: bytesKey(bytes) }
  known[index] = slot
  return slot
}
