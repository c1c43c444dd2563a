const WORD_BITS = 32

/** Which blocks have something, by their ordinals: a bit for each block that was ever stored. */
export class OrdinalSet {
  #words = new Uint32Array(64)

  add(ordinal: number): void {
    const word = wordOf(ordinal)
    this.#makeRoom(word + 1)
    this.#words[word]! |= bitOf(ordinal)
  }

  delete(ordinal: number): void {
    const word = wordOf(ordinal)
    if (word < this.#words.length) this.#words[word]! &= ~bitOf(ordinal)
  }

  /** Adds every ordinal below this one. */
  addBelow(ordinal: number): void {
    const word = wordOf(ordinal)
    this.#makeRoom(word + 1)
    this.#words.fill(0xffff_ffff, 0, word)
    this.#words[word]! |= bitOf(ordinal) - 1
  }

  /** The least member that is not below an ordinal. */
  atOrAbove(ordinal: number): number | undefined {
    const words = this.#words
    const first = wordOf(ordinal)
    for (let word = first; word < words.length; word++) {
      const above = word === first ? -bitOf(ordinal) : -1
      const bits = words[word]! & above
      if (bits !== 0) return WORD_BITS * word + WORD_BITS - 1 - Math.clz32(bits & -bits)
    }
    return undefined
  }

  /** The greatest member that is not above an ordinal. */
  atOrBelow(ordinal: number): number | undefined {
    const words = this.#words
    const first = Math.min(wordOf(ordinal), words.length - 1)
    for (let word = first; word >= 0; word--) {
      const upTo = word === wordOf(ordinal) ? bitOf(ordinal) | (bitOf(ordinal) - 1) : -1
      const bits = words[word]! & upTo
      if (bits !== 0) return WORD_BITS * word + WORD_BITS - 1 - Math.clz32(bits)
    }
    return undefined
  }

  #makeRoom(words: number): void {
    if (words <= this.#words.length) return
    const larger = new Uint32Array(Math.max(words, 2 * this.#words.length))
    larger.set(this.#words)
    this.#words = larger
  }
}

function wordOf(ordinal: number): number {
  return Math.floor(ordinal / WORD_BITS)
}

function bitOf(ordinal: number): number {
  return 1 << (ordinal % WORD_BITS)
}
