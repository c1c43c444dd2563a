const SETTLING_MILLISECONDS = 2000

/** Returns median, minimum, maximum and 99th percentile. */
export function summarise(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]
  const middle = sorted.length >> 1
  const median = sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  return { median, low: sorted[0], high: sorted.at(-1), p99: at(0.99), values }
}

/** A seeded generator (mulberry32): the same targets in every run and for every node. */
export function randomFrom(seed) {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

/** Measures how many milliseconds work takes. */
export async function timed(work) {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** Measures how often per second work completes at the given concurrency. */
export async function rate(work, { count, inFlight = 1 }) {
  let next = 0
  const lane = async () => {
    while (next < count) await work(next++)
  }
  const milliseconds = await timed(() => Promise.all(Array.from({ length: inFlight }, lane)))
  return (count * 1000) / milliseconds
}

/**
 * Measures the median milliseconds of sequential work, with a new input each time.
 *
 * @param count minimum number of repetitions
 * @param milliseconds minimum duration
 * @param input returns the next input; its time is not measured
 */
export async function latency(work, { count, milliseconds = 0, input = () => undefined }) {
  const values = []
  const end = performance.now() + milliseconds
  while (values.length < count || performance.now() < end) {
    const next = input()
    values.push(await timed(() => work(next)))
  }
  return summarise(values).median
}

/**
 * Runs work for two seconds as a warm-up. A node needs it after other nodes had their turn and took over the
 * processor's caches and the memory.
 */
export async function settle(work, { input = () => undefined } = {}) {
  for (const end = performance.now() + SETTLING_MILLISECONDS; performance.now() < end;) await work(input())
}
