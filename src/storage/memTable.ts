import { crc32 } from 'node:zlib'
import { latin1 } from '../encoding/hex.js'
import type { KeyBounds } from './walk.js'
import { DataDirectoryError } from './errors.js'
import { FRAME_HEADER_LENGTH, isPayloadOf, readFrameHeader, writeFrameHeader } from './records.js'
import type { AppendFile } from './segmentFiles.js'

/** One change in a batch: store a value under a key, or remove the key. */
export interface BatchOperation {
  key: Uint8Array
  /** Undefined removes the key. */
  value: Uint8Array | undefined
}

/** Converts a key to a Map key: its bytes as Latin-1 characters. */
export function keyString(key: Uint8Array): string {
  return latin1(key)
}

/** Reverses {@link keyString}. */
export function keyBytes(name: string): Uint8Array {
  return Buffer.from(name, 'latin1')
}

/**
 * Writes that have not reached LevelDB: one write-ahead file, its bytes in memory, and the position of the last
 * change of every key.
 *
 * The bytes are one reused buffer, and a key maps to a number: thousands of small, short-lived values per second
 * would cost far more memory as garbage than they have bytes.
 */
export class MemTable {
  readonly file: AppendFile
  /** Valid end of the record file after the writes in this table. */
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

  /** The buffer, which another table can reuse once this one is done. */
  get memory(): Buffer {
    return this.#bytes
  }

  get size(): number {
    return this.#places.size
  }

  /** Recovers the records in `bytes`, the content of the file. */
  static recover(
    open: (length: number) => AppendFile,
    { path, bytes, recordEnd }: { path: string; bytes: Buffer; recordEnd: number },
  ): MemTable {
    const records = [...completeRecords(bytes, path)]
    const memTable = new MemTable(open(records.at(-1)?.end ?? 0), bytes, recordEnd)
    for (const record of records) memTable.#index(record)
    return memTable
  }

  /** Returns a copy of a key's value, null if it was removed here, undefined if it was not written here. */
  find(name: string): Uint8Array | null | undefined {
    const place = this.#places.get(name)
    return place === undefined ? undefined : valueAt(this.#bytes, place)
  }

  /** @throws the system's error if the disk refuses; nothing has changed then */
  write(record: WriteAheadRecord, options: { sync: boolean }): void {
    const start = this.file.length
    this.#makeRoom(start, encodedLength(record.operations))
    const end = encodeRecord(record, this.#bytes, start)
    this.file.append([this.#bytes.subarray(start, end)], options)
    this.#index({ start, end })
  }

  /** Yields the last change of every key. The bytes are valid until the next write. */
  *operations(): Generator<BatchOperation, void, undefined> {
    for (const place of this.#places.values()) yield operationAt(this.#bytes, place)
  }

  /** Returns a snapshot of the changes of a range in key order. */
  changes({ gte, lt }: KeyBounds): readonly Change[] {
    const from = keyString(gte)
    const to = keyString(lt)
    const [first, last] = [groupNumber(from), groupNumber(to)]
    // A two-byte bound sorts before everything in its group.
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

/** Grows with the keys; a one-byte key sorts before longer ones. */
function groupNumber(name: string): number {
  return (name.charCodeAt(0) << 9) | (name.length > 1 ? 256 + name.charCodeAt(1) : 0)
}

/** Key as a Map key, with its value, or null if it was removed. Immutable. */
export interface Change {
  name: string
  value: Uint8Array | null
}

/** Changes of neighbouring keys. */
interface Bucket {
  /** In order, each key once. */
  changes: Change[]
  /** Keys written since. */
  added: string[]
}

/** Up to this many new keys are inserted one by one; more are sorted with the others. */
const SORT_ABOVE = 64
/** Length of the prefix shared by a group; the bytes after it select the bucket. */
const COMMON_BYTES = 2

/**
 * Changes of keys with the same first two bytes, sorted only as far as they are walked. A walk distributes new keys
 * to buckets by their next three bytes, and sorts a bucket when it enters it. So a walk over the rows of one value
 * sorts only those among thousands of index rows.
 */
export class ChangesInOrder {
  readonly #valueOf: (name: string) => Uint8Array | null
  readonly #buckets = new Map<number, Bucket>()
  #added: string[] = []

  /** @param valueOf - returns the current value of a written key */
  constructor(valueOf: (name: string) => Uint8Array | null) {
    this.#valueOf = valueOf
  }

  /** Records that a key was written. */
  add(name: string): void {
    this.#added.push(name)
  }

  /** Returns the changes from `from` up to but excluding `to`, in order; undefined leaves that side open. */
  between(from: string | undefined, to: string | undefined): Change[] {
    this.#distributeAdded()
    const first = from === undefined ? 0 : bucketNumber(from)
    const last = to === undefined ? Infinity : bucketNumber(to)
    return this.#bucketsBetween(first, last).flatMap((bucket) => {
      const changes = this.#inOrder(bucket)
      const start = from === undefined ? 0 : firstNotBefore(changes, from)
      return changes.slice(start, to === undefined ? undefined : firstNotBefore(changes, to, start))
    })
  }

  #distributeAdded(): void {
    for (const name of this.#added) {
      const number = bucketNumber(name)
      const bucket = this.#buckets.get(number)
      if (bucket === undefined) this.#buckets.set(number, { changes: [], added: [name] })
      else bucket.added.push(name)
    }
    this.#added = []
  }

  #bucketsBetween(first: number, last: number): Bucket[] {
    if (first === last) {
      const only = this.#buckets.get(first)
      return only === undefined ? [] : [only]
    }
    return [...this.#buckets]
      .filter(([number]) => number >= first && number <= last)
      .sort(([a], [b]) => a - b)
      .map(([, bucket]) => bucket)
  }

  #inOrder(bucket: Bucket): readonly Change[] {
    const { added } = bucket
    if (added.length > SORT_ABOVE) {
      const names = new Set(added)
      for (const { name } of bucket.changes) names.add(name)
      bucket.changes = [...names].sort().map((name) => this.#change(name))
    } else {
      for (const name of added) {
        const position = firstNotBefore(bucket.changes, name)
        const isKnown = bucket.changes[position]?.name === name
        bucket.changes.splice(position, isKnown ? 1 : 0, this.#change(name))
      }
    }
    if (added.length > 0) bucket.added = []
    return bucket.changes
  }

  #change(name: string): Change {
    return { name, value: this.#valueOf(name) }
  }
}

/** Never falls as keys rise: missing bytes of a short key count as zeros. */
function bucketNumber(name: string): number {
  let number = 0
  for (let i = COMMON_BYTES; i < COMMON_BYTES + 3; i++) {
    number = (number << 8) | (i < name.length ? name.charCodeAt(i) : 0)
  }
  return number
}

/** Returns the index of the first change whose key is not before `name`. */
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

/**
 * Payload of a framed record ({@link FRAME_HEADER_LENGTH}) in a write-ahead file; numbers are little-endian.
 *
 * | bytes | what |
 * |---|---|
 * | 8 | end of the record file when the batch was written |
 * | rest | operations: key length (4 bytes), value length (4 bytes), key, value |
 *
 * A value length of 0xffffffff removes the key; no value follows.
 */
const RECORD_END_LENGTH = 8
const OPERATION_HEADER_LENGTH = 8
const REMOVED = 0xffffffff

/** Batch in a write-ahead file. */
export interface WriteAheadRecord {
  operations: readonly BatchOperation[]
  /** Valid end of the record file when the batch was written. */
  recordEnd: number
}

/** Position of one record in a write-ahead file. */
export interface RecordSpan {
  start: number
  end: number
}

/** Returns the encoded size of a batch in bytes. */
function encodedLength(operations: readonly BatchOperation[]): number {
  let length = FRAME_HEADER_LENGTH + RECORD_END_LENGTH
  for (const { key, value } of operations) {
    length += OPERATION_HEADER_LENGTH + key.length + (value?.length ?? 0)
  }
  return length
}

/**
 * Writes a batch into a buffer that has `encodedLength` bytes of room after `start`.
 *
 * @returns the end position
 */
function encodeRecord({ operations, recordEnd }: WriteAheadRecord, into: Buffer, start: number): number {
  const payload = start + FRAME_HEADER_LENGTH
  into.writeDoubleLE(recordEnd, payload)
  let position = payload + RECORD_END_LENGTH
  for (const { key, value } of operations) {
    into.writeUInt32LE(key.length, position)
    into.writeUInt32LE(value === undefined ? REMOVED : value.length, position + 4)
    position += OPERATION_HEADER_LENGTH
    into.set(key, position)
    position += key.length
    if (value !== undefined) {
      into.set(value, position)
      position += value.length
    }
  }
  const checksum = crc32(into.subarray(payload, position))
  writeFrameHeader(into, start, { length: position - payload, checksum })
  return position
}

/**
 * Yields the whole records of a write-ahead file in order, without the partial append of a killed process.
 *
 * @param path - the file's path, for errors
 * @throws DataDirectoryError if a record that was fully written is damaged
 */
function* completeRecords(file: Buffer, path: string): Generator<RecordSpan, void, undefined> {
  let start = 0
  while (start + FRAME_HEADER_LENGTH <= file.length) {
    const payload = start + FRAME_HEADER_LENGTH
    const header = readFrameHeader(file, start)
    const end = payload + (header?.length ?? 0)
    if (header !== undefined && end > file.length) return
    if (header === undefined || !isPayloadOf(header, file.subarray(payload, end))) {
      if (endsInZeros(file, start)) return
      throw new DataDirectoryError(
        `${path} is damaged at byte ${start}: it holds acknowledged writes that have not reached the database yet. ` +
          'Restore the data directory from a copy, or delete it to start anew.',
      )
    }
    yield { start, end }
    start = end
  }
}

const PAGE_LENGTH = 4096

/** Returns whether the last page of a file, from `start` on, is zero: a power loss leaves pages without their bytes. */
function endsInZeros(file: Buffer, start: number): boolean {
  const lastPage = Math.floor((file.length - 1) / PAGE_LENGTH) * PAGE_LENGTH
  return file.subarray(Math.max(start, lastPage)).every((byte) => byte === 0)
}

/** Returns the valid end of the record file when a record was written. */
function recordEndOf(file: Buffer, { start }: RecordSpan): number {
  return file.readDoubleLE(start + FRAME_HEADER_LENGTH)
}

/** Yields the positions of a record's operations, in order. */
function* operationsOf(file: Buffer, { start, end }: RecordSpan): Generator<number, void, undefined> {
  let position = start + FRAME_HEADER_LENGTH + RECORD_END_LENGTH
  while (position < end) {
    yield position
    const valueLength = file.readUInt32LE(position + 4)
    position += OPERATION_HEADER_LENGTH + file.readUInt32LE(position)
    if (valueLength !== REMOVED) position += valueLength
  }
}

/** Returns the key of the operation at a position, each byte as one Latin-1 character. */
function keyNameAt(file: Buffer, position: number): string {
  const start = position + OPERATION_HEADER_LENGTH
  return latin1(file, start, start + file.readUInt32LE(position))
}

/** Returns a copy of the value of the operation at a position; null if it removes its key. */
function valueAt(file: Buffer, position: number): Uint8Array | null {
  const length = file.readUInt32LE(position + 4)
  if (length === REMOVED) return null
  const start = position + OPERATION_HEADER_LENGTH + file.readUInt32LE(position)
  const value = new Uint8Array(length)
  if (length > MAX_COPIED_HERE) value.set(file.subarray(start, start + length))
  else for (let i = 0; i < length; i++) value[i] = file[start + i]!
  return value
}

/** Up to this many bytes, copying here is cheaper than creating a slice to copy from. */
const MAX_COPIED_HERE = 64

/** Decodes the operation at a position; its bytes are slices of the file. */
function operationAt(file: Buffer, position: number): BatchOperation {
  const keyEnd = position + OPERATION_HEADER_LENGTH + file.readUInt32LE(position)
  const valueLength = file.readUInt32LE(position + 4)
  return {
    key: file.subarray(position + OPERATION_HEADER_LENGTH, keyEnd),
    value: valueLength === REMOVED ? undefined : file.subarray(keyEnd, keyEnd + valueLength),
  }
}
