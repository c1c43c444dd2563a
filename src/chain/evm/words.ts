import { type SlotKey, bytesKey } from '../state/account.js'

const LARGEST_HALF = 2 ** 32 - 1
const LARGEST_OF_EIGHT_BYTES = 2n ** 64n - 1n

/**
 * A word in four parts of 64 bits, the lowest first, and their halves.
 *
 * V8 makes code of its own for bigints that go through an array; for those that go through a DataView it makes a call.
 */
const parts = new BigUint64Array(4)
const halves = new Uint32Array(parts.buffer)
parts[0] = 1n
/** Which half of a part is the lower one: the order of bytes is the machine's. */
const LOW = halves[0] === 1 ? 0 : 1
const HIGH = 1 - LOW

/** An integer that is not negative as a bigint. */
export function integerWord(value: number): bigint {
  if (value > LARGEST_HALF) return BigInt(value)
  halves[LOW] = value
  halves[HIGH] = 0
  return parts[0] as bigint
}

/** The lowest byte of a word. */
export function lowestByte(word: bigint): number {
  parts[0] = word
  return (halves[LOW] as number) & 0xff
}

/** 32 big-endian bytes at a place as a number; most words on a stack are small. */
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
  // Of a larger number its lowest 64 bits.
  parts[0] = word
  view.setUint32(at + 28, halves[LOW] as number)
  view.setUint32(at + 24, halves[HIGH] as number)
  if (word <= LARGEST_OF_EIGHT_BYTES) {
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

/** A view on the memory of a frame: the same is asked for again and again, and making one costs more than using it. */
export function viewOfMemory({ buffer }: Uint8Array): DataView {
  if (buffer === viewed) return memoryView
  viewed = buffer
  memoryView = new DataView(buffer)
  return memoryView
}

/** A word in the memory of a frame. */
export function readMemoryWord(memory: Uint8Array, offset: number): bigint {
  return wordIn(viewOfMemory(memory), memory.byteOffset + offset)
}

/** Writes a number as 32 big-endian bytes into the memory of a frame. */
export function writeMemoryWord(memory: Uint8Array, offset: number, word: bigint): void {
  putWord(viewOfMemory(memory), memory.byteOffset + offset, word)
}

const scratch = new Uint8Array(32)
const scratchView = new DataView(scratch.buffer)

/** A number as 32 big-endian bytes. */
export function wordToBytes(word: bigint): Uint8Array {
  putWord(scratchView, 0, word)
  return scratch.slice()
}

/** 32 big-endian bytes as a number; those beyond the end are zero. */
export function readWord(bytes: Uint8Array, offset: number): bigint {
  const count = Math.min(32, bytes.length - offset)
  for (let i = 0; i < count; i++) scratch[i] = bytes[offset + i] as number
  for (let i = count; i < 32; i++) scratch[i] = 0
  return wordIn(scratchView, 0)
}

/**
 * At most 32 big-endian bytes as a number; no bytes are zero.
 *
 * The bytes are copied one by one: a view of their own would move those of a short array out of V8's heap, and a number
 * of up to six bytes becomes a bigint in V8's runtime.
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

/** The 20-byte address in the lower bytes of a word. */
export function wordToAddress(word: bigint): Uint8Array {
  putWord(scratchView, 0, word)
  return scratch.slice(12)
}

interface CachedSlot extends SlotKey {
  readonly word: bigint
}

/** Slots that were asked for lately, each at the place that its lowest byte names. */
const known: (CachedSlot | undefined)[] = new Array<undefined>(256).fill(undefined)

/**
 * The key of the slot that a word on the stack names.
 *
 * One SLOAD asks three times for the same slot, the SSTORE that follows four times more, and the next call of the same
 * contract again; making the key takes longer than looking the slot up by it.
 */
export function slotOfWord(word: bigint): SlotKey {
  const place = lowestByte(word)
  const found = known[place]
  if (found?.word === word) return found
  const bytes = wordToBytes(word)
  const slot = { word, bytes, name: bytesKey(bytes) }
  known[place] = slot
  return slot
}
