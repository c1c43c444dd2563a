import { DataDirectoryError } from '../../storage/errors.js'
import type { RecordPosition } from '../../storage/records.js'
import type { RecordWindow } from '../../storage/recordWindow.js'
import { readRecord, type NodeRecord } from './nodeRecord.js'

/** What is read before a node: some three nodes further down on a path. */
const LOOK_BACK = 2048
/** What is read from a node on: a branch of sixteen hashes without value has 532 bytes, and 96 of links. */
const ROOM = 640

/**
 * Trie nodes as they lie in the record file.
 *
 * A commit writes children before their parent, so the node that a path goes on to often lies right before its parent, and
 * comes with the parent's read.
 */
export class StoredNodes {
  readonly #window: RecordWindow

  constructor(window: RecordWindow) {
    this.#window = window
  }

  /** The node at a place, in memory of its own. */
  read(position: RecordPosition): NodeRecord {
    return this.#inWindow(position) ?? this.#fetch(position)
  }

  #inWindow(position: RecordPosition): NodeRecord | undefined {
    const bytes = this.#window.from(position)
    return bytes === undefined ? undefined : readRecord(bytes, position)
  }

  #fetch(position: RecordPosition): NodeRecord {
    for (let length = ROOM; ; length *= 2) {
      const count = this.#window.read(position, { before: LOOK_BACK, length })
      const found = this.#inWindow(position)
      if (found !== undefined) return found
      if (count < length) throw new DataDirectoryError(`The record file ends within the node at ${position}`)
    }
  }
}
