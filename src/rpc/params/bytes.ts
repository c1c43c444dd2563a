import { decodeBytes, decodeBytesInPieces, decodeFixedBytes } from './hexText.js'
import type { Decoder } from './combinators.js'

/** A signature: 65 bytes, r, s and v. */
export const signature: Decoder<Uint8Array> = {
  schema: { title: 'signature', type: 'string', pattern: '^0[xX][0-9a-fA-F]{130}$' },
  decode: (value) => decodeFixedBytes(value, 65, 'hexutil.Bytes'),
}

/** A byte string of any length; an empty string stands for no bytes. */
export const data: Decoder<Uint8Array> = {
  schema: { title: 'bytes', type: 'string', pattern: '^(0[xX]([0-9a-fA-F]{2})*)?$' },
  decode: (value) => decodeBytes(value, 'hexutil.Bytes'),
  decodeInPieces: (value) => decodeBytesInPieces(value, 'hexutil.Bytes'),
}

/** A 32-byte hash. */
export const hash: Decoder<Uint8Array> = {
  schema: { title: '32 byte hash', type: 'string', pattern: '^0[xX][0-9a-fA-F]{64}$' },
  decode: (value) => decodeFixedBytes(value, 32, 'common.Hash'),
}

/** An address as 20 bytes; checksums are not verified. */
export const address: Decoder<Uint8Array> = {
  schema: { title: 'address', type: 'string', pattern: '^0[xX][0-9a-fA-F]{40}$' },
  decode: (value) => decodeFixedBytes(value, 20, 'common.Address'),
}
