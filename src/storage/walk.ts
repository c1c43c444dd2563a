/** A stored key and its value. */
export type Entry = [key: Uint8Array, value: Uint8Array]

/** A half-open range of keys, in their order as bytes. */
export interface KeyBounds {
  /** First key. */
  gte: Uint8Array
  /** Key behind the last one. */
  lt: Uint8Array
}

/** Which entries are walked. */
export interface RangeOptions extends KeyBounds {
  /** From the last to the first; keys come in descending order. */
  reverse?: boolean
  limit?: number
}

/** A walk over a range, as the database was when it was opened, that can jump forward. */
export interface Walk {
  /** The next entry, or undefined behind the last one. */
  next(): Promise<Entry | undefined>
  /**
   * Goes on at the first entry whose key is not before `key` in the direction of the walk. Only forward: a key
   * that the walk has passed leaves it where it is.
   */
  seek(key: Uint8Array): void
  close(): Promise<void>
}

/** The entries of a walk, one by one; the walk is closed behind them. */
export async function* entriesOf(walk: Walk): AsyncGenerator<Entry, void, undefined> {
  try {
    for (let entry = await walk.next(); entry !== undefined; entry = await walk.next()) yield entry
  } finally {
    await walk.close()
  }
}
