import { closeSync, openSync, readSync, writeSync } from 'node:fs'

const CHUNK_BYTES = 256 * 1024

/** What ends a line. */
export const lineFeed = Buffer.from('\n')

/** Writes a file line by line, many of them at once. */
export class LineWriter {
  readonly #file: number
  #pieces: Uint8Array[] = []
  #size = 0

  constructor(path: string) {
    this.#file = openSync(path, 'w', 0o600)
  }

  write(line: Uint8Array): void {
    this.#pieces.push(line, lineFeed)
    this.#size += line.length + 1
    if (this.#size >= CHUNK_BYTES) this.#flush()
  }

  close(): void {
    try {
      this.#flush()
    } finally {
      closeSync(this.#file)
    }
  }

  #flush(): void {
    const bytes = Buffer.concat(this.#pieces)
    this.#pieces = []
    this.#size = 0
    for (let written = 0; written < bytes.length;) written += writeSync(this.#file, bytes, written)
  }
}

/** A line of a file: its bytes without the end, and where it begins. */
export interface FileLine {
  bytes: Uint8Array
  offset: number
  /** Whether a line feed follows. */
  isComplete: boolean
}

/**
 * The lines of a file from an offset on, read in pieces. The bytes of a line are valid until the next one is asked for.
 */
export function* readLines(path: string, start = 0): Generator<FileLine, void, undefined> {
  const file = openSync(path, 'r')
  try {
    let pending = Buffer.alloc(0)
    let offset = start
    let position = start
    for (;;) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
      const length = readSync(file, chunk, 0, CHUNK_BYTES, position)
      if (length === 0) break
      position += length
      const data =
        pending.length === 0 ? chunk.subarray(0, length) : Buffer.concat([pending, chunk.subarray(0, length)])
      let from = 0
      for (let end = data.indexOf(10, from); end !== -1; end = data.indexOf(10, from)) {
        yield { bytes: data.subarray(from, end), offset: offset + from, isComplete: true }
        from = end + 1
      }
      offset += from
      pending = data.subarray(from)
    }
    if (pending.length > 0) yield { bytes: pending, offset, isComplete: false }
  } finally {
    closeSync(file)
  }
}

/** A cassette file that cannot be used; the message names the file, and the line where one is at fault. */
export class CassetteError extends Error {
  override readonly name = 'CassetteError'

  /** @param line - counted from 1 */
  constructor(path: string, reason: string, line?: number) {
    super(`${path}${line === undefined ? '' : `:${line}`}: ${reason}`)
  }
}
