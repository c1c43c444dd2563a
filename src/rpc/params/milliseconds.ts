import type { Decoder } from './parameter.js'
import { controlNumber } from './controlNumber.js'

/** A time to wait. */
export const milliseconds: Decoder<number> = {
  schema: { ...controlNumber.schema, title: 'milliseconds' },
  decode: (value) => Number(controlNumber.decode(value)),
}
