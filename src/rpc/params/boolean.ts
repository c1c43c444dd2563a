import type { Decoder } from './parameter.js'
import { jsonTypeName, TypeMismatchError } from './decodeError.js'

/** A boolean; null is false, as it is to Go. */
export const boolean: Decoder<boolean> = {
  schema: { type: 'boolean' },
  decode(value) {
    if (value === null) return false
    if (typeof value !== 'boolean') throw new TypeMismatchError(jsonTypeName(value), 'bool')
    return value
  },
}

/** A boolean where null is not one. */
export const strictBoolean: Decoder<boolean> = {
  schema: { type: 'boolean' },
  decode(value) {
    if (typeof value !== 'boolean') throw new TypeMismatchError(jsonTypeName(value), 'bool')
    return value
  },
}
