import { createCipheriv } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { Chunk, createChunker } from './chunker.js'
import { buzhashTable } from './chunkers/contentDefined.js'

const data = createCipheriv('chacha20', Buffer.alloc(32, 7), Buffer.alloc(16)).update(Buffer.alloc(3_000_000))

async function chunk(chunker: string, pieceLength = 65_536): Promise<Uint8Array[]> {
  async function* source(): AsyncGenerator<Uint8Array> {
    for (let start = 0; start < data.length; start += pieceLength) {
      yield data.subarray(start, start + pieceLength)
    }
  }
  const chunks: Uint8Array[] = []
  const newChunk = (capacity: number): Chunk => new Chunk(new Uint8Array(Chunk.memoryLength(capacity)))
  for await (const { content } of createChunker(chunker)(source(), newChunk)) chunks.push(content)
  return chunks
}

const lengths = (chunks: Uint8Array[]): number[] => chunks.map((bytes) => bytes.length)

/** Remainder of a polynomial division over GF(2), by long division. */
function remainder(value: bigint, divisor: bigint): bigint {
  const degree = divisor.toString(2).length
  let rest = value
  while (rest.toString(2).length >= degree && rest !== 0n) {
    rest ^= divisor << BigInt(rest.toString(2).length - degree)
  }
  return rest
}

/** The polynomial of IPFS's Rabin fingerprints (boxo, `chunker/rabin.go`). */
const polynomial = 17437180132763653n

function rabinFingerprint(window: Uint8Array): bigint {
  return remainder(BigInt(`0x${Buffer.from(window).toString('hex')}`), polynomial)
}

/** The buzhash of the 32 bytes before a position, by definition. */
function buzhash(end: number): number {
  let state = 0
  for (let index = end - 32; index < end; index++) {
    state = ((state << 1) | (state >>> 31)) ^ (buzhashTable[data[index] ?? 0] ?? 0)
  }
  return state
}

describe('chunkers', () => {
  it.each(['size-1000', 'size-262144', 'rabin-512-1024-2048', 'rabin-100000', 'buzhash'])(
    '%s loses nothing and does not depend on how the input is split',
    async (chunker) => {
      const chunks = await chunk(chunker)
      expect(Buffer.concat(chunks).equals(data)).toBe(true)
      expect(lengths(await chunk(chunker, 999))).toEqual(lengths(chunks))
    },
  )

  it('rabin ends a chunk at the first place where the fingerprint of the last 16 bytes has 10 zero bits', async () => {
    let start = 0
    for (const { length } of (await chunk('rabin-512-1024-2048')).slice(0, 100)) {
      let expected = 512
      while (expected < 2048 && (rabinFingerprint(windowBefore(start, expected)) & 1023n) !== 0n) expected++
      expect(length).toBe(expected)
      start += length
    }

    /** A chunk starts with an empty window: before its 512th byte only 16 have been seen. */
    function windowBefore(chunkStart: number, length: number): Uint8Array {
      return data.subarray(chunkStart + length - 16, chunkStart + length)
    }
  })

  it('buzhash ends a chunk at the first position where the hash has 17 zero bits', async () => {
    let start = 0
    const chunks = await chunk('buzhash')
    expect(chunks.length).toBeGreaterThan(6)
    for (const { length } of chunks.slice(0, -1)) {
      let expected = 128 * 1024
      while (expected < 512 * 1024 && (buzhash(start + expected) & (2 ** 17 - 1)) !== 0) expected++
      expect(length).toBe(expected)
      start += length
    }
  })
})
