import type { Chunker } from '../chunker.js'
import { buzhashTable } from './buzhashTable.js'
import { takeBytes } from './takeBytes.js'

const minSize = 128 * 1024
const maxSize = 512 * 1024
const window = 32
const mask = 2 ** 17 - 1

/** Chunks of 128 to 512 KiB that end where a buzhash of the last 32 bytes says so (boxo, `chunker/buzhash.go`). */
export const buzhash: Chunker = async function* (source) {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const bytes of source) {
    if (bytes.length === 0) continue
    pieces.push(bytes)
    length += bytes.length
    while (length >= maxSize) {
      const chunk = cut(takeBytes(pieces, maxSize), pieces)
      length -= chunk.length
      yield chunk
    }
  }
  while (length > 0) {
    const chunk = cut(takeBytes(pieces, length), pieces)
    length -= chunk.length
    yield chunk
  }
}

/** The first chunk of `bytes`; what is left is put back in front of the pieces. */
function cut(bytes: Uint8Array, pieces: Uint8Array[]): Uint8Array {
  const end = findEnd(bytes)
  if (end === bytes.length) return bytes
  pieces.unshift(bytes.subarray(end))
  return bytes.slice(0, end)
}

function findEnd(bytes: Uint8Array): number {
  if (bytes.length < minSize) return bytes.length
  let state = 0
  for (let i = minSize - window; i < minSize; i++) state = rotate(state) ^ valueOf(bytes, i)
  let start = minSize - window
  for (; start < bytes.length - window; start++) {
    if ((state & mask) === 0) break
    state = rotate(state) ^ valueOf(bytes, start) ^ valueOf(bytes, start + window)
  }
  return start + window
}

function rotate(state: number): number {
  return (state << 1) | (state >>> 31)
}

function valueOf(bytes: Uint8Array, position: number): number {
  return buzhashTable[bytes[position] as number] as number
}
