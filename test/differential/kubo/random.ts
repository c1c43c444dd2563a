import { createHash } from 'node:crypto'

/** Random choices that a seed determines. */
export interface Random {
  /** A number from 0 up to, but not including, 1. */
  next(): number
  /** A whole number from 0 up to, but not including, a limit. */
  below(limit: number): number
  chance(probability: number): boolean
  pick<T>(items: readonly T[]): T
  bytes(length: number): Buffer
}

/** Random choices by SHA-256 of the seed and a counter: the same on every machine and version of Node. */
export function createRandom(seed: number | string): Random {
  let counter = 0
  let pool = Buffer.alloc(0)
  const take = (length: number): Buffer => {
    while (pool.length < length) {
      const block = createHash('sha256').update(`${seed}/${counter++}`).digest()
      pool = Buffer.concat([pool, block])
    }
    const taken = pool.subarray(0, length)
    pool = pool.subarray(length)
    return taken
  }
  const random: Random = {
    next: () => take(6).readUIntBE(0, 6) / 2 ** 48,
    below: (limit) => Math.floor(random.next() * limit),
    chance: (probability) => random.next() < probability,
    pick: (items) => {
      const item = items[random.below(items.length)]
      if (item === undefined) throw new Error('nothing to pick from')
      return item
    },
    bytes: (length) => Buffer.from(take(length)),
  }
  return random
}
