const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPENING = new Set([0x5b, 0x7b])
const CLOSING = new Set([0x5d, 0x7d])
const BLANK = new Set([0x09, 0x0a, 0x0d, 0x20])

/**
 * Finds the messages in a stream of JSON texts that follow one another with or without blanks between them, as IPC has
 * them (geth: rpc/ipc.go reads them with one decoder). A message is an object or an array; anything else is handed on
 * as it came, for its reader to refuse.
 */
export class JsonStream {
  #pieces: Uint8Array[] = []
  #length = 0
  #depth = 0
  #inString = false
  #escaped = false

  /** Bytes of the message that is not complete yet. */
  get waiting(): number {
    return this.#length
  }

  /** Takes bytes up. @returns the messages that they complete */
  push(chunk: Uint8Array): Uint8Array[] {
    const messages: Uint8Array[] = []
    let start = 0
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] as number
      if (this.#depth === 0) {
        if (BLANK.has(byte)) {
          start = at + 1
          continue
        }
        if (!OPENING.has(byte)) {
          messages.push(chunk.subarray(at))
          return messages
        }
        start = at
      }
      if (this.#closes(byte)) {
        messages.push(this.#take(chunk.subarray(start, at + 1)))
        start = at + 1
      }
    }
    if (this.#depth > 0) this.#keep(chunk.subarray(start))
    return messages
  }

  /** Follows one byte of a message. @returns whether it is the last one */
  #closes(byte: number): boolean {
    if (this.#inString) {
      if (this.#escaped) this.#escaped = false
      else if (byte === BACKSLASH) this.#escaped = true
      else if (byte === QUOTE) this.#inString = false
      return false
    }
    if (byte === QUOTE) this.#inString = true
    else if (OPENING.has(byte)) this.#depth++
    else if (CLOSING.has(byte)) this.#depth--
    return this.#depth === 0
  }

  #keep(piece: Uint8Array): void {
    this.#pieces.push(piece)
    this.#length += piece.length
  }

  #take(last: Uint8Array): Uint8Array {
    if (this.#pieces.length === 0) return last
    const message = Buffer.concat([...this.#pieces, last])
    this.#pieces = []
    this.#length = 0
    return message
  }
}
