import { readAll } from '../api/rpc.js'
import type { Block } from './wire.js'

/** Maximum number of cached blocks. */
const maxBlocks = 5000

/** Number of blocks below the head that a reorganisation may have replaced. */
const replaceableBlocks = 64

/** Cache of the table's blocks, by number. */
export class BlockCache {
  readonly #blocks = new Map<number, Block>()
  readonly #requested = new Set<number>()
  readonly #changed: () => void
  #head: string | undefined

  constructor(changed: () => void) {
    this.#changed = changed
  }

  get(number: number): Block | undefined {
    return this.#blocks.get(number)
  }

  /** Sets the head and drops blocks that a reorganisation or a revert may have replaced. */
  follow(head: number, hash: string): void {
    if (this.#head !== hash) {
      for (const number of this.#blocks.keys()) if (number > head - replaceableBlocks) this.#forget(number)
    }
    this.#head = hash
  }

  clear(): void {
    this.#blocks.clear()
    this.#requested.clear()
  }

  /** Reads the missing blocks of an inclusive range. */
  async load(from: number, to: number): Promise<void> {
    const missing: number[] = []
    for (let number = from; number <= to; number++)
      if (number >= 0 && !this.#requested.has(number)) missing.push(number)
    if (missing.length === 0) return
    for (const number of missing) this.#requested.add(number)
    // Blocks scrolled past long ago are read again when they are shown.
    if (this.#blocks.size > maxBlocks) this.clear()
    const blocks = await readAll<Block>(
      missing.map((number) => ['eth_getBlockByNumber', `0x${number.toString(16)}`, false]),
    )
    for (const [place, block] of blocks.entries()) {
      if (block) this.#blocks.set(missing[place]!, block)
      else this.#requested.delete(missing[place]!)
    }
    this.#changed()
  }

  #forget(number: number): void {
    this.#blocks.delete(number)
    this.#requested.delete(number)
  }
}
