/** How far the harnesses go: the short form in the slow suite, or all of it (npm run torture). */
export const isFull = process.env.STANDIN_TORTURE_FULL !== undefined

/** Where the random numbers start; a run with the same seed does the same. */
export const seed = Number(process.env.STANDIN_TORTURE_SEED ?? 1)

/** How many rounds, kills or requests; each harness has its own default. */
export function rounds(short: number, full: number): number {
  return Number(process.env.STANDIN_TORTURE_ROUNDS ?? (isFull ? full : short))
}

/** A generator of random numbers from 0 to 1 that repeats itself for a seed (mulberry32). */
export function randomNumbers(start: number): () => number {
  let state = start >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
