import type { Decoder } from './parameter.js'
import { controlNumber } from './controlNumber.js'
import { ReasonError } from './decodeError.js'

const maximum = 2n ** 64n - 1n

/** A number of a development control that headers and accounts keep in 64 bits. */
export const controlUint64: Decoder<bigint> = {
  schema: controlNumber.schema,
  decode(value) {
    const number = controlNumber.decode(value)
    if (number > maximum) throw new ReasonError('hex number > 64 bits')
    return number
  },
}
