import type { Decoder } from './parameter.js'
import { decodeFixedBytes } from './hexText.js'

/** An address as 20 bytes; checksums are not verified. */
export const address: Decoder<Uint8Array> = {
  schema: { title: 'address', type: 'string', pattern: '^0[xX][0-9a-fA-F]{40}$' },
  decode: (value) => decodeFixedBytes(value, 20, 'common.Address'),
}
