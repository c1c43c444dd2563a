import { bytesKey } from '../state/byteCache.js'
import type { IndexRecord } from './indexRecord.js'

/** What the records that are kept may take together. */
const CAPACITY_BYTES = 8 * 1024 * 1024
/** About what a decoded record takes: most of it are the headers of many small arrays. */
const BLOCK_BYTES = 4000
const TRANSACTION_BYTES = 450

/** Records that were used at about the same time. */
class Generation {
  readonly records = new Map<number, IndexRecord>()
  readonly ordinals = new Map<string, number>()
}

/**
 * The index records that were used last, so that hot blocks are not decoded again.
 *
 * Two generations stand in for an exact order of use: when the young one has half of the room, it becomes the old one,
 * and what nobody asked for since then is gone.
 */
export class RecentRecords {
  #young = new Generation()
  #old = new Generation()
  #youngBytes = 0

  get(ordinal: number): IndexRecord | undefined {
    const found = this.#young.records.get(ordinal)
    if (found !== undefined) return found
    const aged = this.#old.records.get(ordinal)
    if (aged !== undefined) this.keep(aged)
    return aged
  }

  /** The ordinal of a block that was added lately, by its 32-byte hash. */
  ordinal(hash: Uint8Array): number | undefined {
    const key = bytesKey(hash)
    return this.#young.ordinals.get(key) ?? this.#old.ordinals.get(key)
  }

  /** Keeps the record of a block that was stored just now. */
  add(record: IndexRecord): void {
    const { ordinal, hash } = record.block
    this.#young.ordinals.set(bytesKey(hash), ordinal)
    this.keep(record)
  }

  /** Keeps a record that was read. */
  keep(record: IndexRecord): void {
    const { ordinal, transactions } = record.block
    if (this.#young.records.has(ordinal)) return
    this.#young.records.set(ordinal, record)
    this.#youngBytes += BLOCK_BYTES + TRANSACTION_BYTES * transactions.length
    if (this.#youngBytes < CAPACITY_BYTES / 2) return
    this.#old = this.#young
    this.#young = new Generation()
    this.#youngBytes = 0
  }
}
