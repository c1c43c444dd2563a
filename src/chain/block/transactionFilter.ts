/** As many bits as tell a million transactions from others, all but one in forty; a power of two. */
const BITS = 2 ** 23
const BITS_EACH = 4

/**
 * Tells of most transactions that they were never added (a Bloom filter, whose bits a hash has in itself): looking one up
 * in LevelDB that is not there takes as long as encoding its block.
 */
export class TransactionFilter {
  readonly #bits = new Uint8Array(BITS / 8)

  /** @param hash - 32 bytes */
  add(hash: Uint8Array): void {
    for (let i = 0; i < BITS_EACH; i++) {
      const bit = bitOf(hash, i)
      this.#bits[bit >>> 3]! |= 1 << (bit & 7)
    }
  }

  /** Whether a transaction may have been added; never false of one that was. */
  mayHold(hash: Uint8Array): boolean {
    for (let i = 0; i < BITS_EACH; i++) {
      const bit = bitOf(hash, i)
      if ((this.#bits[bit >>> 3]! & (1 << (bit & 7))) === 0) return false
    }
    return true
  }
}

function bitOf(hash: Uint8Array, i: number): number {
  const at = 4 * i
  return ((hash[at]! << 16) | (hash[at + 1]! << 8) | hash[at + 2]!) & (BITS - 1)
}
