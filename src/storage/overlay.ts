import type { AppendFile } from './appendFile.js'
import type { BatchOperation } from './writeBatch.js'

/** A key in the form that maps can look up: its bytes as Latin-1 characters. */
export function keyString(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('latin1')
}

/** The bytes behind a key in the form of maps. */
function keyBytes(name: string): Uint8Array {
  return Buffer.from(name, 'latin1')
}

/** What was written and has not reached LevelDB: one write-ahead file and its contents by key. */
export class Overlay {
  readonly file: AppendFile
  /** Null stands for a key that was removed. Keys are kept as strings alone: there are many. */
  readonly #values = new Map<string, Uint8Array | null>()

  constructor(file: AppendFile) {
    this.file = file
  }

  get size(): number {
    return this.#values.size
  }

  /** The value of a key, null if it was removed here, undefined if it was not written here. */
  find(name: string): Uint8Array | null | undefined {
    return this.#values.get(name)
  }

  add(operations: readonly BatchOperation[]): void {
    for (const { key, value } of operations) this.#values.set(keyString(key), value ?? null)
  }

  /** The last change of every key. */
  *operations(): Generator<BatchOperation, void, undefined> {
    for (const [name, value] of this.#values) yield { key: keyBytes(name), value: value ?? undefined }
  }
}
