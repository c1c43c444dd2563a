import type { Decoder } from './parameter.js'
import { decodeFixedBytes } from './hexText.js'

/** A signature: 65 bytes, r, s and v. */
export const signature: Decoder<Uint8Array> = {
  schema: { title: 'signature', type: 'string', pattern: '^0[xX][0-9a-fA-F]{130}$' },
  decode: (value) => decodeFixedBytes(value, 65, 'hexutil.Bytes'),
}
