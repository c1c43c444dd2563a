import { hexToBytes } from '../../encoding/hex.js'
import type { Decoder } from './parameter.js'
import { byteDigits, checkDigits } from './hexText.js'

const type = 'hexutil.Bytes'

/** A byte string of any length; an empty string stands for no bytes. */
export const data: Decoder<Uint8Array> = {
  schema: { title: 'bytes', type: 'string', pattern: '^(0[xX]([0-9a-fA-F]{2})*)?$' },
  decode(value) {
    const text = byteDigits(value, type)
    checkDigits(text, type)
    return hexToBytes(text)
  },
}
