import type { Decoder } from './parameter.js'
import { controlNumber } from './controlNumber.js'

/** Seconds to move a clock by: as ganache takes them, also a fraction, which is rounded, and less than zero. */
export const seconds: Decoder<bigint> = {
  schema: { title: 'seconds', anyOf: [controlNumber.schema, { type: 'number' }] },
  decode(value) {
    const isNumber = typeof value === 'number' && Number.isFinite(value)
    return isNumber ? BigInt(Math.round(value)) : controlNumber.decode(value)
  },
}
