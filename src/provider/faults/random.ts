/**
 * A source of numbers from 0 to below 1 that is the same for the same seed: mulberry32, a generator of 32 bits of
 * state in the public domain.
 */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A seed of its own for each name, so that one fault's draws do not depend on another's. */
export function seedFor(seed: number, name: string): number {
  let mixed = seed >>> 0
  for (const character of name) mixed = Math.imul(mixed ^ character.charCodeAt(0), 0x01000193) >>> 0
  return mixed
}
