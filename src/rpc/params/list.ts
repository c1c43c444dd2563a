import type { Decoder } from './parameter.js'
import { jsonTypeName, TypeMismatchError } from './decodeError.js'

/** Items that are decoded at once. */
const ITEMS_AT_ONCE = 64

/** A list whose items are all decoded alike, under the name of its Go type; null is an empty list. */
export function list<T>(item: Decoder<T>, type: string): Decoder<T[]> {
  return {
    schema: { type: ['array', 'null'], items: item.schema },
    decode: (value) => elements(value, type).map((element) => item.decode(element)),
    *decodeInPieces(value) {
      const items: T[] = []
      for (const element of elements(value, type)) {
        items.push(
          item.decodeInPieces === undefined ? item.decode(element) : yield* item.decodeInPieces(element),
        )
        if (items.length % ITEMS_AT_ONCE === 0) yield
      }
      return items
    },
  }
}

function elements(value: unknown, type: string): readonly unknown[] {
  if (value === null) return []
  if (!Array.isArray(value)) throw new TypeMismatchError(jsonTypeName(value), type)
  return value
}
