import { bytesToPlainHex } from '../../encoding/hex.js'
import type { IndexRecord } from './indexRecord.js'

/** How many transactions the records that are kept may have together, each block counting as one more. */
const CAPACITY = 20_000

/** The index records that were used last, so that hot blocks are not decoded again. */
export class RecentRecords {
  readonly #records = new Map<number, IndexRecord>()
  readonly #ordinals = new Map<string, number>()
  #weight = 0

  get(ordinal: number): IndexRecord | undefined {
    const record = this.#records.get(ordinal)
    if (record !== undefined) {
      this.#records.delete(ordinal)
      this.#records.set(ordinal, record)
    }
    return record
  }

  /** The ordinal of a kept block, by its hash in hexadecimal without a prefix. */
  ordinal(hash: string): number | undefined {
    return this.#ordinals.get(hash)
  }

  set(record: IndexRecord): void {
    const { ordinal, hash } = record.block
    if (this.#records.has(ordinal)) return
    this.#records.set(ordinal, record)
    this.#ordinals.set(bytesToPlainHex(hash), ordinal)
    this.#weight += weightOf(record)
    while (this.#weight > CAPACITY && this.#records.size > 1) this.#dropOldest()
  }

  #dropOldest(): void {
    for (const [ordinal, record] of this.#records) {
      this.#records.delete(ordinal)
      this.#ordinals.delete(bytesToPlainHex(record.block.hash))
      this.#weight -= weightOf(record)
      return
    }
  }
}

function weightOf({ block }: IndexRecord): number {
  return 1 + block.transactions.length
}
