import { bytesToHex, bytesToPlainHex } from '../../encoding/hex.js'
import type { Steps } from '../../encoding/timeSlice.js'
import { WireBytes } from '../wire.js'
import type { PieceWriter } from './pieceWriter.js'
import { written } from './written.js'

/** Bytes that are written at once. */
const BYTES_AT_ONCE = 64 * 1024

/** Bytes as a JSON string of lower-case hexadecimal digits behind `0x`, in which there is nothing to escape. */
export function bytesWire(bytes: Uint8Array): WireBytes | Promise<WireBytes> {
  if (bytes.length > BYTES_AT_ONCE) return written((writer) => writeBytes(bytes, writer))
  return new WireBytes([`"${bytesToHex(bytes)}"`])
}

function* writeBytes(bytes: Uint8Array, writer: PieceWriter): Steps<void> {
  writer.append('"0x')
  for (let at = 0; at < bytes.length; at += BYTES_AT_ONCE) {
    writer.append(bytesToPlainHex(bytes.subarray(at, at + BYTES_AT_ONCE)))
    yield
  }
  writer.append('"')
}
