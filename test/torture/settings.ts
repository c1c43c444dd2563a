/** Whether to run the full harnesses (npm run torture), rather than the short ones of the slow suite. */
export const isFull = process.env.STANDIN_TORTURE_FULL !== undefined

/** Seed of the random numbers; runs with the same seed send the same requests. */
export const seed = Number(process.env.STANDIN_TORTURE_SEED ?? 1)

/** Returns the number of rounds, kills or requests: as configured, or the harness's default. */
export function rounds(short: number, full: number): number {
  return Number(process.env.STANDIN_TORTURE_ROUNDS ?? (isFull ? full : short))
}

/** Returns a seeded generator of random numbers in [0, 1) (mulberry32). */
export function randomNumbers(start: number): () => number {
  let state = start >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Maximum milliseconds that one request may delay another. */
export const MAX_STOP = 50
/** A suspicious stop must recur every time, because garbage collection, compilation and other processes cause some. */
export const ATTEMPTS = 3
