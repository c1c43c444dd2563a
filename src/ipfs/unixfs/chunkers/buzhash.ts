import { buzhashTable } from './buzhashTable.js'
import { contentDefined } from './contentDefined.js'

const minSize = 128 * 1024
const maxSize = 512 * 1024
const window = 32
const mask = 2 ** 17 - 1

/** Chunks of 128 to 512 KiB that end where a buzhash of the last 32 bytes says so (boxo, `chunker/buzhash.go`). */
export const buzhash = contentDefined(maxSize, (bytes) => {
  if (bytes.length < minSize) return bytes.length
  let state = 0
  for (let i = minSize - window; i < minSize; i++) state = rotate(state) ^ valueOf(bytes, i)
  let start = minSize - window
  for (; start < bytes.length - window; start++) {
    if ((state & mask) === 0) break
    state = rotate(state) ^ valueOf(bytes, start) ^ valueOf(bytes, start + window)
  }
  return start + window
})

function rotate(state: number): number {
  return (state << 1) | (state >>> 31)
}

function valueOf(bytes: Uint8Array, position: number): number {
  return buzhashTable[bytes[position] as number] as number
}
