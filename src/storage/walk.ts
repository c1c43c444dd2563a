/** Stored key and value. */
export type Entry = [key: Uint8Array, value: Uint8Array]

/** Half-open range of keys in byte order. */
export interface KeyBounds {
  /** First key. */
  gte: Uint8Array
  /** Key after the last one. */
  lt: Uint8Array
}

/** Options of a walk. */
export interface RangeOptions extends KeyBounds {
  /** Whether to walk in descending key order. */
  reverse?: boolean
  limit?: number
}

/** Walk over a range of a database snapshot that can jump forward. */
export interface Walk {
  /** Returns the next entry, or undefined at the end. */
  next(): Promise<Entry | undefined>
  /**
   * Continues at the first entry whose key is not before `key` in walking direction. Forward only: a key that the
   * walk has passed leaves it where it is.
   */
  seek(key: Uint8Array): void
  close(): Promise<void>
}

/** Yields the entries of a walk and closes it. */
export async function* entriesOf(walk: Walk): AsyncGenerator<Entry, void, undefined> {
  try {
    for (let entry = await walk.next(); entry !== undefined; entry = await walk.next()) yield entry
  } finally {
    await walk.close()
  }
}
