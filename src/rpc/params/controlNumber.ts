import type { Decoder } from './parameter.js'
import { ReasonError } from './decodeError.js'

/**
 * A number of a development control: a JSON number, hexadecimal or decimal text, as clients of such nodes send it.
 * Client libraries strip leading zeros, so that `0x` is zero.
 */
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
    if (value === '0x') return 0n
    if (typeof value === 'string' && /^(0x[0-9a-f]{1,64}|[0-9]{1,77})$/i.test(value)) {
      return BigInt(value.toLowerCase())
    }
    throw new ReasonError(
      `expected a number or a hexadecimal or decimal string, got ${JSON.stringify(value)}`,
    )
  },
}
