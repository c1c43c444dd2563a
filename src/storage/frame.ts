import { crc32 } from 'node:zlib'

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
