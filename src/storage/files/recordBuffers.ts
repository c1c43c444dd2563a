import { recordHeadLength, writeRecordHead } from './record.js'
import type { RecordName } from './record.js'

/** Data up to this size is copied behind its head: a buffer of its own in a write costs more than that. */
const copiedLimit = 16_384
const firstPageLength = 1024
const longestPage = 65_536

/** Records to be appended, as buffers for one write. */
export class RecordBuffers {
  readonly #buffers: Uint8Array[] = []
  #page: Buffer = Buffer.alloc(0)
  /** Where in the page the bytes begin that are not yet among the buffers, and where they end. */
  #start = 0
  #end = 0

  add(name: RecordName, data: Uint8Array): void {
    const isCopied = data.length <= copiedLimit
    const length = recordHeadLength(name) + (isCopied ? data.length : 0)
    if (this.#end + length > this.#page.length) this.#turnPage(length)
    this.#end = writeRecordHead(name, data.length, { bytes: this.#page, position: this.#end })
    if (isCopied) {
      this.#page.set(data, this.#end)
      this.#end += data.length
      return
    }
    this.#cut()
    this.#buffers.push(data)
  }

  /** The buffers, one behind the other. */
  take(): Uint8Array[] {
    this.#cut()
    return this.#buffers
  }

  #turnPage(length: number): void {
    this.#cut()
    this.#page = Buffer.allocUnsafeSlow(
      Math.max(Math.min(2 * this.#page.length, longestPage), firstPageLength, length),
    )
    this.#start = 0
    this.#end = 0
  }

  #cut(): void {
    if (this.#end > this.#start) this.#buffers.push(this.#page.subarray(this.#start, this.#end))
    this.#start = this.#end
  }
}
