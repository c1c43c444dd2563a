const LARGEST_OF_EIGHT_BYTES = 2n ** 64n - 1n

/** 32 big-endian bytes at a place as a number; most words on a stack are small. */
export function wordIn(view: DataView, at: number): bigint {
  const low = view.getBigUint64(at + 24)
  const isSmall =
    view.getUint32(at) === 0 &&
    view.getUint32(at + 4) === 0 &&
    view.getUint32(at + 8) === 0 &&
    view.getUint32(at + 12) === 0 &&
    view.getUint32(at + 16) === 0 &&
    view.getUint32(at + 20) === 0
  if (isSmall) return low
  const upper = (view.getBigUint64(at) << 64n) | view.getBigUint64(at + 8)
  return (upper << 128n) | (view.getBigUint64(at + 16) << 64n) | low
}

function putWord(view: DataView, at: number, word: bigint): void {
  // Eight bytes are written of a larger number too: its lowest.
  view.setBigUint64(at + 24, word)
  if (word <= LARGEST_OF_EIGHT_BYTES) {
    view.setFloat64(at, 0)
    view.setFloat64(at + 8, 0)
    view.setFloat64(at + 16, 0)
    return
  }
  view.setBigUint64(at, word >> 192n)
  view.setBigUint64(at + 8, word >> 128n)
  view.setBigUint64(at + 16, word >> 64n)
}

let viewed: ArrayBufferLike = new ArrayBuffer(0)
let memoryView: DataView = new DataView(viewed)

/** A view on the memory of a frame: the same is asked for again and again, and making one costs more than using it. */
function viewOfMemory({ buffer }: Uint8Array): DataView {
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
