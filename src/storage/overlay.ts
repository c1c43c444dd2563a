import { latin1 } from '../encoding/nativeText.js'
import type { AppendFile } from './appendFile.js'
import type { KeyBounds } from './cursor.js'
import {
  encodedLength,
  encodeRecord,
  keyNameAt,
  operationAt,
  operationsOf,
  recordEndOf,
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

/** A key in the form of maps, with its value or, if it was removed, null. It never changes. */
export interface Change {
  name: string
  value: Uint8Array | null
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
  readonly #groups = new Map<number, Group>()

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
  static recover(open: (length: number) => AppendFile, bytes: Buffer, recordEnd: number): Overlay {
    const records = [...wholeRecords(bytes)]
    const overlay = new Overlay(open(records.at(-1)?.end ?? 0), bytes, recordEnd)
    for (const record of records) overlay.#index(record)
    return overlay
  }

  /** A copy of the value of a key, null if it was removed here, undefined if it was not written here. */
  find(name: string): Uint8Array | null | undefined {
    const place = this.#places.get(name)
    if (place === undefined) return undefined
    const { value } = operationAt(this.#bytes, place)
    return value === undefined ? null : new Uint8Array(value)
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
    const last = groupNumber(to)
    const found: Change[][] = []
    for (const [number, group] of this.#groups) {
      // A bound of two bytes stands before everything of its group.
      if (number < groupNumber(from) || number > last || (number === last && to.length <= 2)) continue
      const changes = this.#inOrder(group)
      const first = firstNotBefore(changes, from)
      const end = firstNotBefore(changes, to)
      if (first < end) found.push(changes.slice(first, end))
    }
    if (found.length <= 1) return found[0] ?? []
    return found.flat().sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  #index(record: RecordSpan): void {
    for (const place of operationsOf(this.#bytes, record)) {
      const name = keyNameAt(this.#bytes, place)
      this.#places.set(name, place)
      this.#groupOf(groupNumber(name)).added.push(name)
    }
    this.recordEnd = recordEndOf(this.#bytes, record)
  }

  #makeRoom(used: number, length: number): void {
    if (used + length <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.#bytes.length, used + length))
    this.#bytes.copy(larger, 0, 0, used)
    this.#bytes = larger
  }

  #groupOf(number: number): Group {
    const known = this.#groups.get(number)
    if (known !== undefined) return known
    const group: Group = { changes: [], added: [] }
    this.#groups.set(number, group)
    return group
  }

  /** Few new keys are put where they belong; many are sorted with the others. */
  #inOrder(group: Group): Change[] {
    const { added } = group
    if (added.length > SORT_ABOVE) {
      const names = new Set(added)
      for (const { name } of group.changes) names.add(name)
      group.changes = [...names].sort().map((name) => this.#change(name))
    } else {
      for (const name of added) {
        const position = firstNotBefore(group.changes, name)
        const isKnown = group.changes[position]?.name === name
        group.changes.splice(position, isKnown ? 1 : 0, this.#change(name))
      }
    }
    group.added = []
    return group.changes
  }

  #change(name: string): Change {
    return { name, value: this.find(name) ?? null }
  }
}

/** Keys that begin with the same two bytes. Most groups are never walked: they are put in order when one is. */
interface Group {
  /** In order, each key once. */
  changes: Change[]
  /** Keys that were written since. */
  added: string[]
}

const SORT_ABOVE = 64

/** Rises with the keys; a key of one byte stands before those that are longer. */
function groupNumber(name: string): number {
  return (name.charCodeAt(0) << 9) | (name.length > 1 ? 256 + name.charCodeAt(1) : 0)
}

/** The index of the first change whose key is not before `name`. */
export function firstNotBefore(changes: readonly Change[], name: string, from = 0): number {
  let low = from
  let high = changes.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (changes[middle]!.name < name) low = middle + 1
    else high = middle
  }
  return low
}
