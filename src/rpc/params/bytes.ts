import { decodeBytes, decodeBytesInPieces, decodeFixedBytes } from './hexText.js'
import type { Decoder } from './combinators.js'

/** A byte string of any length; an empty string stands for no bytes. */
export const data: Decoder<Uint8Array> = {
  schema: { title: 'bytes', type: 'string', pattern: '^(0[xX]([0-9a-fA-F]{2})*)?$' },
  decode: (value) => decodeBytes(value, 'hexutil.Bytes'),
  decodeInPieces: (value) => decodeBytesInPieces(value, 'hexutil.Bytes'),
}

/** A byte string of a fixed length. @param type - the name of the Go type */
export function fixedBytes(length: number, type: string, title = `${length} bytes`): Decoder<Uint8Array> {
  return {
    schema: { title, type: 'string', pattern: `^0[xX][0-9a-fA-F]{${length * 2}}$` },
    decode: (value) => decodeFixedBytes(value, length, type),
  }
}

/** A signature: 65 bytes, r, s and v. */
export const signature = fixedBytes(65, 'hexutil.Bytes', 'signature')

/** A 32-byte hash. */
export const hash = fixedBytes(32, 'common.Hash', '32 byte hash')

/** An address as 20 bytes; checksums are not verified. */
export const address = fixedBytes(20, 'common.Address', 'address')
