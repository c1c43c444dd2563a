import { keccak256Word } from '../keccak.js'
import { viewOfMemory } from './words.js'

/** Bytes of two words. */
export const PAIR_BYTES = 64
const PAIR_WORDS = 16
const PLACES = 256

/** Pairs of words that were hashed lately, each at a place that follows from the lower ends of both, and their hashes. */
const pairs = new Uint32Array(PLACES * PAIR_WORDS)
const hashes: (bigint | undefined)[] = new Array<undefined>(PLACES).fill(undefined)

/**
 * The keccak-256 hash of 64 bytes in the memory of a frame, which are there, as a number.
 *
 * The slot of a mapping's member is such a hash, of the key and the mapping's place: each call of a token asks for a few,
 * mostly the same as the call before. A pair that is known is found in a tenth of the time that hashing takes, and the
 * number that it gives is one that the slots are known by.
 */
export function hashOfPair(memory: Uint8Array, offset: number): bigint {
  const view = viewOfMemory(memory)
  const start = memory.byteOffset + offset
  const ends = view.getUint32(start + 28) ^ Math.imul(view.getUint32(start + 60), 0x85ebca6b)
  const place = Math.imul(ends, 0x9e3779b1) >>> 24
  const at = place * PAIR_WORDS
  const found = hashes[place]
  let isKnown = found !== undefined
  for (let i = 0; isKnown && i < PAIR_WORDS; i++) isKnown = pairs[at + i] === view.getUint32(start + 4 * i)
  if (isKnown) return found as bigint
  const hash = keccak256Word(memory.subarray(offset, offset + PAIR_BYTES))
  for (let i = 0; i < PAIR_WORDS; i++) pairs[at + i] = view.getUint32(start + 4 * i)
  hashes[place] = hash
  return hash
}
