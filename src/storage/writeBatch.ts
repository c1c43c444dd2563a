/** One change of a batch: a value to store under a key, or the key's removal. */
export interface BatchOperation {
  key: Uint8Array
  /** Undefined removes the key. */
  value: Uint8Array | undefined
}

/**
 * Changes that become visible and durable together.
 *
 * Values are kept as they are given, not copied: the caller leaves them unchanged and does not pass slices of a
 * larger buffer that would stay alive with them.
 */
export class WriteBatch {
  readonly operations: BatchOperation[] = []

  put(key: Uint8Array, value: Uint8Array): this {
    this.operations.push({ key, value })
    return this
  }

  delete(key: Uint8Array): this {
    this.operations.push({ key, value: undefined })
    return this
  }
}
