import { bytesToPlainHex } from '../../encoding/hex.js'
import type { IndexRecord } from './indexRecord.js'

/** What the records that are kept may take together. */
const CAPACITY_BYTES = 8 * 1024 * 1024
/** About what a decoded record takes: most of it are the headers of many small arrays. */
const BLOCK_BYTES = 4000
const TRANSACTION_BYTES = 450

/** The index records that were used last, so that hot blocks are not decoded again. */
export class RecentRecords {
  readonly #records = new Map<number, IndexRecord>()
  readonly #ordinals = new Map<string, number>()
  #bytes = 0

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
    this.#bytes += bytesOf(record)
    while (this.#bytes > CAPACITY_BYTES && this.#records.size > 1) this.#dropOldest()
  }

  #dropOldest(): void {
    for (const [ordinal, record] of this.#records) {
      this.#records.delete(ordinal)
      this.#ordinals.delete(bytesToPlainHex(record.block.hash))
      this.#bytes -= bytesOf(record)
      return
    }
  }
}

function bytesOf({ block }: IndexRecord): number {
  return BLOCK_BYTES + TRANSACTION_BYTES * block.transactions.length
}
