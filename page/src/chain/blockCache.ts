import { readAll } from '../api/rpc.js'
import type { Block } from './wire.js'

/** Blocks that are kept at most. */
const mostBlocks = 5000

/** Blocks below the head that another head may have replaced. */
const forgotten = 64

/** Blocks in the table that have been read, by number. */
export class BlockCache {
  readonly #blocks = new Map<number, Block>()
  readonly #asked = new Set<number>()
  readonly #changed: () => void
  #head: string | undefined

  constructor(changed: () => void) {
    this.#changed = changed
  }

  get(number: number): Block | undefined {
    return this.#blocks.get(number)
  }

  /** Forgets what another branch, or a chain that went back, may have changed. */
  follow(head: number, hash: string): void {
    if (this.#head !== hash) {
      for (const number of this.#blocks.keys()) if (number > head - forgotten) this.#forget(number)
    }
    this.#head = hash
  }

  clear(): void {
    this.#blocks.clear()
    this.#asked.clear()
  }

  /** Reads blocks of a range, both included, that are not there. */
  async load(from: number, to: number): Promise<void> {
    const missing: number[] = []
    for (let number = from; number <= to; number++)
      if (number >= 0 && !this.#asked.has(number)) missing.push(number)
    if (missing.length === 0) return
    for (const number of missing) this.#asked.add(number)
    // What was scrolled past long ago is read again when it is looked at.
    if (this.#blocks.size > mostBlocks) this.clear()
    const blocks = await readAll<Block>(
      missing.map((number) => ['eth_getBlockByNumber', `0x${number.toString(16)}`, false]),
    )
    for (const [place, block] of blocks.entries()) {
      if (block) this.#blocks.set(missing[place]!, block)
      else this.#asked.delete(missing[place]!)
    }
    this.#changed()
  }

  #forget(number: number): void {
    this.#blocks.delete(number)
    this.#asked.delete(number)
  }
}
