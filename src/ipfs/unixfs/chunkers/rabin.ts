import { rabin as createRabin } from 'ipfs-unixfs-importer/chunker'
import type { Chunker } from '../chunker.js'

/** Chunks that end where a Rabin fingerprint of the last 16 bytes says so (boxo, `chunker/rabin.go`). */
export function rabin(sizes: { min: number; average: number; max: number }): Chunker {
  const cut = createRabin({
    minChunkSize: sizes.min,
    avgChunkSize: sizes.average,
    maxChunkSize: sizes.max,
  })
  return async function* (source) {
    for await (const chunk of cut(source)) yield chunk.slice()
  }
}
