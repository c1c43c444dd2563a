import { entropyToMnemonic, generateMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'

/** Three words of a BIP-39 phrase encode 32 bits of entropy. */
const BITS_PER_WORD = 32 / 3

/** Generates a BIP-39 phrase with a number of words. */
export function randomMnemonic(words: number): string {
  return generateMnemonic(wordlist, words * BITS_PER_WORD)
}

/** Derives anvil's twelve words from a number. Anybody can do the same, and take what the accounts own. */
export function seededMnemonic(seed: bigint): string {
  return entropyToMnemonic(seededBytes(seed), wordlist)
}

/** First words of a ChaCha state: "expand 32-byte k". */
const CONSTANTS = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574]
/** Rounds of ChaCha12, the generator behind Rust's StdRng. */
const ROUNDS = 12
const WORDS = 16

/** Columns, then diagonals of the state. */
const QUARTERS = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
] as const

/**
 * Returns the first 16 bytes of Rust's StdRng for a 64-bit seed when read one byte at a time: the low byte of each
 * word (rand_core, SeedableRng::seed_from_u64: PCG32 derives the key from the seed; rand_chacha, ChaCha12Rng: the key
 * stream with counter and nonce zero).
 */
function seededBytes(seed: bigint): Uint8Array {
  const initial = Uint32Array.from([...CONSTANTS, ...keyOf(seed), 0, 0, 0, 0])
  const state = Uint32Array.from(initial)
  for (let round = 0; round < ROUNDS; round += 2) {
    for (const [a, b, c, d] of QUARTERS) mixQuarter(state, a, b, c, d)
  }
  return Uint8Array.from({ length: WORDS }, (_, i) => (state[i] ?? 0) + (initial[i] ?? 0))
}

function keyOf(seed: bigint): number[] {
  let state = seed
  return Array.from({ length: 8 }, () => {
    state = BigInt.asUintN(64, state * 6364136223846793005n + 11634580027462260723n)
    const shifted = Number(BigInt.asUintN(32, ((state >> 18n) ^ state) >> 27n))
    return rotateLeft(shifted, 32 - Number(state >> 59n))
  })
}

function mixQuarter(state: Uint32Array, a: number, b: number, c: number, d: number): void {
  const step = (to: number, add: number, into: number, bits: number): void => {
    state[to] = (state[to] ?? 0) + (state[add] ?? 0)
    state[into] = rotateLeft((state[into] ?? 0) ^ (state[to] ?? 0), bits)
  }
  step(a, b, d, 16)
  step(c, d, b, 12)
  step(a, b, d, 8)
  step(c, d, b, 7)
}

function rotateLeft(word: number, bits: number): number {
  return ((word << (bits & 31)) | (word >>> (-bits & 31))) >>> 0
}
