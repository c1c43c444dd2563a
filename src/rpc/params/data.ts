import type { Decoder } from './parameter.js'
import { decodeBytes, decodeBytesInPieces } from './hexText.js'

/** A byte string of any length; an empty string stands for no bytes. */
export const data: Decoder<Uint8Array> = {
  schema: { title: 'bytes', type: 'string', pattern: '^(0[xX]([0-9a-fA-F]{2})*)?$' },
  decode: (value) => decodeBytes(value, 'hexutil.Bytes'),
  decodeInPieces: (value) => decodeBytesInPieces(value, 'hexutil.Bytes'),
}
