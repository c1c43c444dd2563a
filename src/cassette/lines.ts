import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import type { Steps } from '../encoding/timeSlice.js'

const CHUNK_BYTES = 256 * 1024
const LINE_FEED = 10

/** Writes lines to a file, many per system call. */
export class LineWriter {
  readonly #file: number
  #lines: string[] = []
  #size = 0
  /** Length and checksum of the lines; complete only after {@link close}. */
  bytes = 0
  crc32 = 0

  constructor(path: string) {
    this.#file = openSync(path, 'w', 0o600)
  }

  /** @param line - bytes without the line end, one character each; see {@link byteText} */
  write(line: string): void {
    this.#lines.push(line)
    this.#size += line.length
    if (this.#size >= CHUNK_BYTES) this.#flush()
  }

  /** Writes a long line in several steps. @param pieces - of the line, see {@link write} */
  *writeInSteps(pieces: readonly string[]): Steps<void> {
    this.#flush()
    for (const piece of pieces) {
      for (let start = 0; start < piece.length; start += CHUNK_BYTES) {
        this.#append(Buffer.from(piece.slice(start, start + CHUNK_BYTES), 'latin1'))
        yield
      }
    }
    this.#append(Buffer.of(LINE_FEED))
  }

  close(): void {
    try {
      this.#flush()
    } finally {
      closeSync(this.#file)
    }
  }

  #flush(): void {
    if (this.#lines.length === 0) return
    const bytes = Buffer.from(`${this.#lines.join('\n')}\n`, 'latin1')
    this.#lines = []
    this.#size = 0
    this.#append(bytes)
  }

  #append(bytes: Buffer): void {
    writeWhole(this.#file, bytes)
    this.bytes += bytes.length
    this.crc32 = crc32(bytes, this.crc32)
  }
}

/** Converts a text to its UTF-8 bytes, one character each, so that comparisons follow byte order. */
export function byteText(text: string): string {
  return Buffer.byteLength(text) === text.length ? text : Buffer.from(text).toString('latin1')
}

/** Writes all bytes; the system may accept fewer at a time. */
export function writeWhole(file: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length;) written += writeSync(file, bytes, written)
}

/** A line of a file, without the line end. */
class FileLine {
  /** Its bytes. A line of megabytes has many chunks. */
  readonly chunks: readonly Buffer[]
  /** Whether a line feed follows. */
  readonly isComplete: boolean

  constructor(chunks: readonly Buffer[], { isComplete }: { isComplete: boolean }) {
    this.chunks = chunks
    this.isComplete = isComplete
  }

  /** All bytes in one buffer. */
  get bytes(): Buffer {
    const [first] = this.chunks
    return this.chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.chunks)
  }
}

/** Reads the lines of a file from an offset on, in chunks. */
export function* readLines(path: string, start = 0): Generator<FileLine, void, undefined> {
  const file = openSync(path, 'r')
  try {
    /** Start of a line longer than a chunk. */
    let pending: Buffer[] = []
    let position = start
    for (;;) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
      const data = chunk.subarray(0, readSync(file, chunk, 0, CHUNK_BYTES, position))
      if (data.length === 0) break
      position += data.length
      let from = 0
      for (let end = data.indexOf(LINE_FEED); end !== -1; end = data.indexOf(LINE_FEED, from)) {
        const chunks = [...pending, data.subarray(from, end)]
        pending = []
        yield new FileLine(chunks, { isComplete: true })
        from = end + 1
      }
      if (from < data.length) pending.push(data.subarray(from))
    }
    if (pending.length > 0) yield new FileLine(pending, { isComplete: false })
  } finally {
    closeSync(file)
  }
}

/** A cassette file cannot be used. The message names the file, and the line at fault if there is one. */
export class CassetteError extends Error {
  override readonly name = 'CassetteError'

  /** @param line - counted from 1 */
  constructor(path: string, reason: string, line?: number) {
    super(`${path}${line === undefined ? '' : `:${line}`}: ${reason}`)
  }
}
