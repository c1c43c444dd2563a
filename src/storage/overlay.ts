import { latin1 } from '../encoding/bytes.js'
import type { AppendFile } from './appendFile.js'
import { ChangesInOrder, type Change } from './changesInOrder.js'
import type { KeyBounds } from './cursor.js'
import {
  encodedLength,
  encodeRecord,
  keyNameAt,
  operationAt,
  operationsOf,
  recordEndOf,
  valueAt,
  wholeRecords,
  type RecordSpan,
  type WriteAheadRecord,
} from './writeAheadRecord.js'
import type { BatchOperation } from './writeBatch.js'

/** A key in the form that maps can look up: its bytes as Latin-1 characters. */
export function keyString(key: Uint8Array): string {
  return latin1(key)
}

/** The bytes behind a key in the form of maps. */
export function keyBytes(name: string): Uint8Array {
  return Buffer.from(name, 'latin1')
}

/**
 * What was written and has not reached LevelDB: one write-ahead file, its bytes in memory too, and where in them the
 * last change of every key is.
 *
 * The bytes are one buffer that is used again and again, and what is kept of a key is a number: thousands of small
 * values a second that live for a while and are then garbage cost far more memory than they have bytes.
 */
export class Overlay {
  readonly file: AppendFile
  /** Up to where the record file is filled by what is in here. */
  recordEnd: number
  #bytes: Buffer
  readonly #places = new Map<string, number>()
  /** By the first two bytes of the keys. Most groups are never walked. */
  readonly #groups = new Map<number, ChangesInOrder>()

  constructor(file: AppendFile, bytes: Buffer, recordEnd: number) {
    this.file = file
    this.#bytes = bytes
    this.recordEnd = recordEnd
  }

  /** The memory that it works in; of use to another one when this one is not needed any more. */
  get memory(): Buffer {
    return this.#bytes
  }

  get size(): number {
    return this.#places.size
  }

  /** Takes up the records that `bytes`, which are those of the file, hold. */
  static recover(
    open: (length: number) => AppendFile,
    { path, bytes, recordEnd }: { path: string; bytes: Buffer; recordEnd: number },
  ): Overlay {
    const records = [...wholeRecords(bytes, path)]
    const overlay = new Overlay(open(records.at(-1)?.end ?? 0), bytes, recordEnd)
    for (const record of records) overlay.#index(record)
    return overlay
  }

  /** A copy of the value of a key, null if it was removed here, undefined if it was not written here. */
  find(name: string): Uint8Array | null | undefined {
    const place = this.#places.get(name)
    return place === undefined ? undefined : valueAt(this.#bytes, place)
  }

  /** @throws the system's error if the disk refuses; nothing has changed then. */
  write(record: WriteAheadRecord, options: { sync: boolean }): void {
    const start = this.file.length
    this.#makeRoom(start, encodedLength(record.operations))
    const end = encodeRecord(record, this.#bytes, start)
    this.file.append([this.#bytes.subarray(start, end)], options)
    this.#index({ start, end })
  }

  /** The last change of every key; the bytes are valid as long as nothing else is written. */
  *operations(): Generator<BatchOperation, void, undefined> {
    for (const place of this.#places.values()) yield operationAt(this.#bytes, place)
  }

  /** The changes of a range as they are now, in the order of their keys. */
  changes({ gte, lt }: KeyBounds): readonly Change[] {
    const from = keyString(gte)
    const to = keyString(lt)
    const [first, last] = [groupNumber(from), groupNumber(to)]
    // A bound of two bytes stands before everything of its group.
    const end = to.length <= 2 ? last : last + 1
    const groups = [...this.#groups].filter(([number]) => number >= first && number < end)
    return groups
      .sort(([a], [b]) => a - b)
      .flatMap(([number, group]) =>
        group.between(number === first ? from : undefined, number === last ? to : undefined),
      )
  }

  #index(record: RecordSpan): void {
    for (const place of operationsOf(this.#bytes, record)) {
      const name = keyNameAt(this.#bytes, place)
      this.#places.set(name, place)
      this.#groupOf(groupNumber(name)).add(name)
    }
    this.recordEnd = recordEndOf(this.#bytes, record)
  }

  #makeRoom(used: number, length: number): void {
    if (used + length <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.#bytes.length, used + length))
    this.#bytes.copy(larger, 0, 0, used)
    this.#bytes = larger
  }

  #groupOf(number: number): ChangesInOrder {
    const known = this.#groups.get(number)
    if (known !== undefined) return known
    const group = new ChangesInOrder((name) => this.find(name) ?? null)
    this.#groups.set(number, group)
    return group
  }
}

/** Rises with the keys; a key of one byte stands before those that are longer. */
function groupNumber(name: string): number {
  return (name.charCodeAt(0) << 9) | (name.length > 1 ? 256 + name.charCodeAt(1) : 0)
}
