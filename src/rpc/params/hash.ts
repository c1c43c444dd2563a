import type { Decoder } from './parameter.js'
import { decodeFixedBytes } from './hexText.js'

/** A 32-byte hash. */
export const hash: Decoder<Uint8Array> = {
  schema: { title: '32 byte hash', type: 'string', pattern: '^0[xX][0-9a-fA-F]{64}$' },
  decode: (value) => decodeFixedBytes(value, 32, 'common.Hash'),
}
