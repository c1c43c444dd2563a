/** Extent of the harnesses: short in the slow suite, or complete (npm run torture). */
export const isFull = process.env.STANDIN_TORTURE_FULL !== undefined

/** Seed of the random numbers; runs with the same seed are equal. */
export const seed = Number(process.env.STANDIN_TORTURE_SEED ?? 1)

/** Number of rounds, kills or requests; each harness has its own default. */
export function rounds(short: number, full: number): number {
  return Number(process.env.STANDIN_TORTURE_ROUNDS ?? (isFull ? full : short))
}

/** Random numbers from 0 to 1, reproducible by seed (mulberry32). */
export function randomNumbers(start: number): () => number {
  let state = start >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
