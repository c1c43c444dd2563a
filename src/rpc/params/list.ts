import type { Decoder } from './parameter.js'
import { jsonTypeName, TypeMismatchError } from './decodeError.js'

/** A list whose items are all decoded alike, under the name of its Go type; null is an empty list. */
export function list<T>(item: Decoder<T>, type: string): Decoder<T[]> {
  return {
    schema: { type: ['array', 'null'], items: item.schema },
    decode(value) {
      if (value === null) return []
      if (!Array.isArray(value)) throw new TypeMismatchError(jsonTypeName(value), type)
      return value.map((element: unknown) => item.decode(element))
    },
  }
}
