import type { NodeNumber } from '../state/nodeRecord.js'

/** Nodes by their numbers, a bit each: numbers are dense, and a chain has millions of nodes. */
export class NodeSet {
  #bits = new Uint8Array(64 * 1024)

  has(number: NodeNumber): boolean {
    return ((this.#bits[Math.floor(number / 8)] ?? 0) & (1 << (number % 8))) !== 0
  }

  add(number: NodeNumber): void {
    const index = Math.floor(number / 8)
    if (index >= this.#bits.length) {
      const grown = new Uint8Array(Math.max(2 * this.#bits.length, index + 1))
      grown.set(this.#bits)
      this.#bits = grown
    }
    this.#bits[index]! |= 1 << (number % 8)
  }
}
