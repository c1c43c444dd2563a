/** A seeded source of random choices (mulberry32). */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
    for (let i = 0; i < 8; i++) this.next()
  }

  /** Returns a number in [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** Returns an integer in [0, limit). */
  below(limit: number): number {
    return Math.floor(this.next() * limit)
  }

  /** Returns true with the given probability. */
  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)]
    if (item === undefined) throw new Error('nothing to pick from')
    return item
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)))
  }

  /** Returns random bytes as 0x-prefixed hex. */
  hex(length: number): string {
    return `0x${this.bytes(length).toString('hex')}`
  }

  /** Returns a hex quantity of at most the given number of bits; most are small, a few are the maximum. */
  quantity(bits: number): string {
    const kind = this.below(8)
    if (kind === 0) return '0x0'
    if (kind < 5) return `0x${this.below(1 << Math.min(bits, 17)).toString(16)}`
    if (kind === 5) return `0x${(2n ** BigInt(bits) - 1n).toString(16)}`
    return `0x${BigInt(this.hex(Math.ceil((1 + this.below(bits)) / 8))).toString(16)}`
  }
}
