import type { Steps } from '../../encoding/timeSlice.js'

/** Length in bytes of the precompile's input: rounds, state, message, offset and final-block flag (EIP-152). */
export const BLAKE2_INPUT_LENGTH = 213
/** Rounds computed between two yields. */
export const ROUNDS_AT_ONCE = 4096

/** The eight words of the initialization vector in 32-bit halves, lower half first. */
const INITIAL = Int32Array.of(
  ...[0xf3bcc908, 0x6a09e667, 0x84caa73b, 0xbb67ae85, 0xfe94f82b, 0x3c6ef372, 0x5f1d36f1, 0xa54ff53a],
  ...[0xade682d1, 0x510e527f, 0x2b3e6c1f, 0x9b05688c, 0xfb41bd6b, 0x1f83d9ab, 0x137e2179, 0x5be0cd19],
)

/** Permutations of the message words by round (RFC 7693, section 2.7); the eleventh round starts over. */
const SCHEDULES = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
  [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
  [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
  [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
  [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
  [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
  [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
  [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
  [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
].map((schedule) => Uint8Array.from(schedule, (word) => 2 * word))

/** Words of the working state that each of a round's eight mixes takes, as indices of their lower halves. */
const MIXED = [
  [0, 8, 16, 24],
  [2, 10, 18, 26],
  [4, 12, 20, 28],
  [6, 14, 22, 30],
  [0, 10, 20, 30],
  [2, 12, 22, 24],
  [4, 14, 16, 26],
  [6, 8, 18, 28],
] as const

/**
 * Computes the BLAKE2b compression precompile incrementally (EIP-152): a round costs one gas, and a call with 300
 * million rounds takes more than a minute.
 *
 * @param input - {@link BLAKE2_INPUT_LENGTH} bytes, the last of them 0 or 1
 */
export function* blake2Compress(input: Uint8Array): Steps<Uint8Array> {
  const read = new DataView(input.buffer, input.byteOffset, input.length)
  const halves = (start: number, count: number): Int32Array => {
    const values = new Int32Array(count)
    for (let index = 0; index < count; index++) values[index] = read.getInt32(start + 4 * index, true)
    return values
  }
  const rounds = roundsOf(input)
  const [state, message, offset] = [halves(4, 16), halves(68, 32), halves(196, 4)]
  const working = new Int32Array(32)
  working.set(state)
  working.set(INITIAL, 16)
  for (let half = 0; half < 4; half++) working[24 + half]! ^= offset[half]!
  if (input[212] === 1) {
    working[28] = ~working[28]!
    working[29] = ~working[29]!
  }
  for (let round = 0; round < rounds; round++) {
    const schedule = SCHEDULES[round % SCHEDULES.length]!
    for (let index = 0; index < MIXED.length; index++) {
      mix(working, MIXED[index]!, message, schedule[2 * index]!, schedule[2 * index + 1]!)
    }
    if (round % ROUNDS_AT_ONCE === ROUNDS_AT_ONCE - 1) yield
  }
  const output = new DataView(new ArrayBuffer(64))
  for (let half = 0; half < 16; half++) {
    output.setInt32(4 * half, state[half]! ^ working[half]! ^ working[half + 16]!, true)
  }
  return new Uint8Array(output.buffer)
}

/** Returns the number of rounds in an input. */
export function roundsOf(input: Uint8Array): number {
  return new DataView(input.buffer, input.byteOffset).getUint32(0)
}

/** Mixes two message words into four words of the working state (RFC 7693, section 3.1). */
function mix(
  v: Int32Array,
  [a, b, c, d]: readonly [number, number, number, number],
  message: Int32Array,
  x: number,
  y: number,
): void {
  // All halves stay 32-bit integers: V8 adds larger numbers as floating-point ones, which takes twice as long.
  let [aLow, aHigh, bLow, bHigh] = [v[a]!, v[a + 1]!, v[b]!, v[b + 1]!]
  let [cLow, cHigh, dLow, dHigh] = [v[c]!, v[c + 1]!, v[d]!, v[d + 1]!]

  let addend = message[x]!
  let sum = (aLow + bLow) | 0
  aHigh = (aHigh + bHigh + carryOf(aLow, bLow, sum)) | 0
  aLow = (sum + addend) | 0
  aHigh = (aHigh + message[x + 1]! + carryOf(sum, addend, aLow)) | 0
  ;[dLow, dHigh] = [dHigh ^ aHigh, dLow ^ aLow]
  sum = (cLow + dLow) | 0
  cHigh = (cHigh + dHigh + carryOf(cLow, dLow, sum)) | 0
  cLow = sum
  bLow ^= cLow
  bHigh ^= cHigh
  ;[bLow, bHigh] = [(bLow >>> 24) | (bHigh << 8), (bHigh >>> 24) | (bLow << 8)]

  addend = message[y]!
  sum = (aLow + bLow) | 0
  aHigh = (aHigh + bHigh + carryOf(aLow, bLow, sum)) | 0
  aLow = (sum + addend) | 0
  aHigh = (aHigh + message[y + 1]! + carryOf(sum, addend, aLow)) | 0
  dLow ^= aLow
  dHigh ^= aHigh
  ;[dLow, dHigh] = [(dLow >>> 16) | (dHigh << 16), (dHigh >>> 16) | (dLow << 16)]
  sum = (cLow + dLow) | 0
  cHigh = (cHigh + dHigh + carryOf(cLow, dLow, sum)) | 0
  cLow = sum
  bLow ^= cLow
  bHigh ^= cHigh

  v[a] = aLow
  v[a + 1] = aHigh
  v[b] = (bHigh >>> 31) | (bLow << 1)
  v[b + 1] = (bLow >>> 31) | (bHigh << 1)
  v[c] = cLow
  v[c + 1] = cHigh
  v[d] = dLow
  v[d + 1] = dHigh
}

/** Returns the carry of two 32-bit integers, given their sum modulo 2^32: 0 or 1. */
function carryOf(first: number, second: number, sum: number): number {
  return ((first & second) | ((first | second) & ~sum)) >>> 31
}
