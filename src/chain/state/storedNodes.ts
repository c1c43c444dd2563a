import { DataDirectoryError } from '../../storage/errors.js'
import type { RecordPosition, RecordStore } from '../../storage/records.js'
import { readRecord, type NodeRecord } from './nodeRecord.js'

/** What is read before a node: some three nodes further down on a path. */
const LOOK_BACK = 2048
/** What is read from a node on: a branch of sixteen hashes without value has 532 bytes, and 96 of links. */
const ROOM = 640

/** Where stored nodes are read from. */
export type NodeFile = Pick<RecordStore, 'readInto' | 'offsetOf'>

/**
 * Trie nodes as they lie in the record file.
 *
 * A commit writes children before their parent, so the node that a path goes on to often lies right before its parent, and
 * comes with the parent's read.
 */
export class StoredNodes {
  readonly #file: NodeFile
  /** What was read last, and from where on. */
  #memory = new Uint8Array(LOOK_BACK + ROOM)
  #window = this.#memory.subarray(0, 0)
  #position: RecordPosition = 0

  constructor(file: NodeFile) {
    this.#file = file
  }

  /** The node at a place, in memory of its own. */
  read(position: RecordPosition): NodeRecord {
    return this.#inWindow(position) ?? this.#fetch(position)
  }

  #inWindow(position: RecordPosition): NodeRecord | undefined {
    const start = position - this.#position
    if (start < 0 || start >= this.#window.length) return undefined
    return readRecord(this.#window, start, position)
  }

  #fetch(position: RecordPosition): NodeRecord {
    const before = Math.min(LOOK_BACK, this.#file.offsetOf(position))
    for (let room = ROOM; ; room *= 2) {
      if (this.#memory.length < before + room) this.#memory = new Uint8Array(before + room)
      const count = this.#file.readInto(this.#memory.subarray(0, before + room), position - before)
      this.#window = this.#memory.subarray(0, count)
      this.#position = position - before
      const found = this.#inWindow(position)
      if (found !== undefined) return found
      if (count < before + room)
        throw new DataDirectoryError(`The record file ends within the node at ${position}`)
    }
  }
}
