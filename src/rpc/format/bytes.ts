import { bytesToHex } from '../../encoding/hex.js'
import { WireBytes } from '../wire.js'

/** Bytes as a JSON string of lower-case hexadecimal digits behind `0x`, in which there is nothing to escape. */
export function bytesWire(bytes: Uint8Array): WireBytes {
  return new WireBytes([`"${bytesToHex(bytes)}"`])
}
