import type { Decoder } from '../method.js'
import { ReasonError } from './decodeError.js'

/** A number of a development control: a JSON number, hexadecimal or decimal text, as clients of such nodes send it. */
export const controlNumber: Decoder<bigint> = {
  schema: {
    title: 'number',
    anyOf: [
      { type: 'integer', minimum: 0 },
      { type: 'string', pattern: '^(0[xX][0-9a-fA-F]*|[0-9]+)$' },
    ],
  },
  decode(value) {
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value)
    if (typeof value === 'string' && /^(0x[0-9a-f]{1,64}|[0-9]{1,78})$/i.test(value)) {
      return BigInt(value.toLowerCase())
    }
    throw new ReasonError(
      `expected a number or a hexadecimal or decimal string, got ${JSON.stringify(value)}`,
    )
  },
}
