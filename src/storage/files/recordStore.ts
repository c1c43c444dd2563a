import { applyChanges, type IndexDatabase } from './indexDatabase.js'
import { rowKey, rowRange } from './keyspace.js'
import type { RowKind } from './keyspace.js'

/** Rows of one kind that are not blocks: key and value are the caller's bytes. */
export interface RecordStore {
  get(key: Uint8Array): Uint8Array | undefined
  put(key: Uint8Array, value: Uint8Array): Promise<void>
  delete(key: Uint8Array): Promise<void>
  /** Every row, in the order of the keys. */
  entries(): AsyncIterable<[key: Uint8Array, value: Uint8Array]>
}

/** The rows of one kind in the file index. */
export function createRecordStore(options: {
  database: IndexDatabase
  kind: RowKind
  sync: boolean
}): RecordStore {
  const { database, kind, sync } = options
  return {
    get(key) {
      const value = database.getSync(rowKey(kind, key))
      return value && Uint8Array.from(value)
    },
    put: (key, value) => applyChanges(database, [{ type: 'put', key: rowKey(kind, key), value }], { sync }),
    delete: (key) => applyChanges(database, [{ type: 'del', key: rowKey(kind, key) }], { sync }),
    async *entries() {
      for await (const [key, value] of database.iterator(rowRange(kind))) {
        yield [Uint8Array.from(key.subarray(1)), Uint8Array.from(value)]
      }
    },
  }
}
