import { closeSync, fdatasyncSync, ftruncateSync, openSync, writevSync } from 'node:fs'
import { FILE_MODE } from './directories.js'

/** Where a file is opened for appending, and up to where it is valid. */
export interface AppendFileOptions {
  path: string
  /** Bytes that are kept; whatever lies behind them is cut off. */
  length: number
}

/**
 * A file that grows by whole pieces.
 *
 * A write that fails leaves the end where it was, so that the next one takes its place.
 */
export class AppendFile {
  readonly path: string
  #descriptor: number
  #length: number

  constructor({ path, length }: AppendFileOptions) {
    this.path = path
    this.#descriptor = openSync(path, length === 0 ? 'w' : 'r+', FILE_MODE)
    this.#length = length
    if (length > 0) ftruncateSync(this.#descriptor, length)
  }

  /** Bytes in the file. */
  get length(): number {
    return this.#length
  }

  /**
   * Appends pieces one behind the other, and with `sync` waits until they are on the medium.
   *
   * @throws the system's error if the disk refuses; the file is then as long as before.
   */
  append(pieces: readonly Uint8Array[], { sync = false }: { sync?: boolean } = {}): void {
    let position = this.#length
    try {
      let rest = pieces.filter((piece) => piece.length > 0)
      while (rest.length > 0) {
        const written = writevSync(this.#descriptor, rest, position)
        position += written
        rest = without(rest, written)
      }
      if (sync) fdatasyncSync(this.#descriptor)
    } catch (error) {
      this.#cutTail()
      throw error
    }
    this.#length = position
  }

  /** Waits until everything that was appended is on the medium. */
  sync(): void {
    fdatasyncSync(this.#descriptor)
  }

  close(): void {
    closeSync(this.#descriptor)
  }

  #cutTail(): void {
    try {
      ftruncateSync(this.#descriptor, this.#length)
    } catch {
      // The tail is garbage that the next append overwrites and no reader accepts.
    }
  }
}

/** The pieces without their first `written` bytes: what a short write has left over. */
function without(pieces: readonly Uint8Array[], written: number): Uint8Array[] {
  let skip = written
  const rest: Uint8Array[] = []
  for (const piece of pieces) {
    if (skip >= piece.length) skip -= piece.length
    else {
      rest.push(piece.subarray(skip))
      skip = 0
    }
  }
  return rest
}
