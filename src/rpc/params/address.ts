import { hexToBytes } from '../../encoding/hex.js'
import type { Decoder } from './parameter.js'
import { fixedDigits } from './hexText.js'

/** An address as 20 bytes; checksums are not verified. */
export const address: Decoder<Uint8Array> = {
  schema: { title: 'address', type: 'string', pattern: '^0[xX][0-9a-fA-F]{40}$' },
  decode: (value) => hexToBytes(fixedDigits(value, 20, 'common.Address')),
}
