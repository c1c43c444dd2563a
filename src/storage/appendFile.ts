import { closeSync, fdatasyncSync, ftruncateSync, openSync, writevSync } from 'node:fs'
import { crc32 } from 'node:zlib'
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

/**
 * How a record stands in an append-only file. All numbers are little-endian.
 *
 * | bytes | what |
 * |---|---|
 * | 4 | length of the payload |
 * | 4 | CRC-32 of the payload |
 * | 4 | CRC-32 of the eight bytes before |
 * | rest | payload |
 *
 * A header of its own tells a record that was cut off, which a killed process leaves at the end of a file, from one whose
 * length was damaged.
 */
export const FRAME_HEADER_LENGTH = 12

/** What the header of a record says. */
export interface FrameHeader {
  /** Of the payload, in bytes. */
  length: number
  /** CRC-32 of the payload. */
  checksum: number
}

/** Writes the header of a record at a position. */
export function writeFrameHeader(into: Buffer, position: number, { length, checksum }: FrameHeader): void {
  into.writeUInt32LE(length, position)
  into.writeUInt32LE(checksum, position + 4)
  into.writeUInt32LE(crc32(into.subarray(position, position + 8)), position + 8)
}

/** The header of a record whose payload is made of pieces. */
export function frameHeaderOf(pieces: readonly Uint8Array[]): Uint8Array {
  let length = 0
  let checksum = 0
  for (const piece of pieces) {
    length += piece.length
    checksum = crc32(piece, checksum)
  }
  const header = Buffer.allocUnsafeSlow(FRAME_HEADER_LENGTH)
  writeFrameHeader(header, 0, { length, checksum })
  return header
}

/** Reads what {@link writeFrameHeader} wrote; undefined if the header is damaged. */
export function readFrameHeader(bytes: Uint8Array, position: number): FrameHeader | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset + position, FRAME_HEADER_LENGTH)
  if (crc32(bytes.subarray(position, position + 8)) !== view.getUint32(8, true)) return undefined
  return { length: view.getUint32(0, true), checksum: view.getUint32(4, true) }
}

/** Whether a payload is the one that a header was written for. */
export function isPayloadOf({ length, checksum }: FrameHeader, payload: Uint8Array): boolean {
  return payload.length === length && crc32(payload) === checksum
}
