import type { RecordPosition } from './records.js'

/** One change of a batch: a value to store under a key, or the key's removal. */
export interface BatchOperation {
  key: Uint8Array
  /** Undefined removes the key. */
  value: Uint8Array | undefined
}

/** A value that goes to the record file. */
export interface BulkOperation {
  key: Uint8Array
  value: Uint8Array
}

/** A record of the record file, and the rows that lead to it. */
export interface RecordOperation {
  /** What the record is made of, one piece behind the other. */
  pieces: readonly Uint8Array[]
  /** Makes the rows, once the record lies there. */
  rows: (position: RecordPosition) => readonly BatchOperation[]
}

/**
 * Changes that become visible and durable together.
 *
 * Values are kept as they are given, not copied: the caller leaves them unchanged and does not pass slices of a
 * larger buffer that would stay alive with them.
 */
export class WriteBatch {
  readonly operations: BatchOperation[] = []
  readonly bulk: BulkOperation[] = []
  readonly records: RecordOperation[] = []
  readonly afterwards: (() => void)[] = []

  put(key: Uint8Array, value: Uint8Array): this {
    this.operations.push({ key, value })
    return this
  }

  /** Stores a value in the record file, and under the key only where it is: for what never changes, and is much. */
  putBulk(key: Uint8Array, value: Uint8Array): this {
    this.bulk.push({ key, value })
    return this
  }

  /** Stores a record in the record file, and rows that say where. */
  putRecord(record: RecordOperation): this {
    this.records.push(record)
    return this
  }

  /** Calls back once the batch is written, before anything else is; not if the write fails. */
  whenWritten(callback: () => void): this {
    this.afterwards.push(callback)
    return this
  }

  delete(key: Uint8Array): this {
    this.operations.push({ key, value: undefined })
    return this
  }
}
