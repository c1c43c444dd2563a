import type { RecordPosition, RecordStore } from './records.js'

/**
 * What was read last of the record file, with what lies before it. What is written together is mostly asked for together,
 * and the pieces from which the others are found come last: a read of such a piece brings its neighbours, where reads of
 * their own would each wait for the disk once memory no longer has them.
 */
export class RecordWindow {
  readonly #file: Pick<RecordStore, 'readInto' | 'offsetOf'>
  #memory = new Uint8Array(0)
  #bytes = this.#memory
  #position: RecordPosition = 0

  constructor(file: Pick<RecordStore, 'readInto' | 'offsetOf'>) {
    this.#file = file
  }

  /** A view on the bytes that are at hand from a position on, until the next {@link read}; undefined if there are none. */
  from(position: RecordPosition): Uint8Array | undefined {
    const start = position - this.#position
    if (start < 0 || start >= this.#bytes.length) return undefined
    return this.#bytes.subarray(start)
  }

  /**
   * Reads so many bytes from a position on and so many before it, as far as their segment goes.
   *
   * @returns how many there are from the position on
   */
  read(position: RecordPosition, { before, length }: { before: number; length: number }): number {
    const lead = Math.min(before, this.#file.offsetOf(position))
    if (this.#memory.length < lead + length) this.#memory = new Uint8Array(lead + length)
    // Nothing is at hand if the file cannot be read.
    this.#bytes = this.#memory.subarray(0, 0)
    const count = this.#file.readInto(this.#memory.subarray(0, lead + length), position - lead)
    this.#bytes = this.#memory.subarray(0, count)
    this.#position = position - lead
    return count - lead
  }
}
