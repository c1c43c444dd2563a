import { bytesToPlainHex } from '../../src/encoding/hex.js'
import { RecordWindow } from '../../src/storage/records.js'
import type { WriteBatch } from '../../src/storage/database.js'
import type { BatchOperation } from '../../src/storage/memTable.js'

/** In-memory database with just the methods that state storage uses. */
export class MemoryDatabase {
  readonly #rows = new Map<string, Uint8Array>()
  #file = Buffer.alloc(0)

  readonly window = new RecordWindow({
    offsetOf: (position) => position,
    readInto: (memory, position) => {
      const bytes = this.#file.subarray(position, position + memory.length)
      memory.set(bytes)
      return bytes.length
    },
  })

  #nextNumber = 0

  reserveNumbers(count: number): number {
    this.#nextNumber += count
    return this.#nextNumber - count
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return this.#rows.get(bytesToPlainHex(key))
  }

  write({ operations, records, afterwards }: WriteBatch): void {
    const rows: BatchOperation[] = [...operations]
    for (const { pieces, rows: rowsAt } of records) {
      const position = this.#file.length
      this.#file = Buffer.concat([this.#file, ...pieces])
      rows.push(...rowsAt(position))
    }
    for (const { key, value } of rows) {
      if (value === undefined) this.#rows.delete(bytesToPlainHex(key))
      else this.#rows.set(bytesToPlainHex(key), value.slice())
    }
    for (const callback of afterwards) callback()
  }
}
