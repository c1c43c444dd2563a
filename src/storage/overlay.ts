import type { AppendFile } from './appendFile.js'
import type { BatchOperation } from './writeBatch.js'

/** A key in the form that maps can look up: its bytes as Latin-1 characters. */
export function keyString(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('latin1')
}

/** What was written and has not reached LevelDB: one write-ahead file and its contents by key. */
export class Overlay {
  readonly file: AppendFile
  readonly #operations = new Map<string, BatchOperation>()

  constructor(file: AppendFile) {
    this.file = file
  }

  get size(): number {
    return this.#operations.size
  }

  find(key: string): BatchOperation | undefined {
    return this.#operations.get(key)
  }

  add(operations: readonly BatchOperation[]): void {
    for (const operation of operations) this.#operations.set(keyString(operation.key), operation)
  }

  /** The last change of every key. */
  operations(): IterableIterator<BatchOperation> {
    return this.#operations.values()
  }
}
