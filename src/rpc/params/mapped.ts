import type { Decoder } from './parameter.js'
import { inPieces } from './inPieces.js'

/** A decoder of what is made of another one's values. */
export function mapped<Given, T>(
  decoder: Decoder<Given>,
  convert: (given: Given) => T,
  schema = decoder.schema,
): Decoder<T> {
  return {
    schema,
    decode: (value) => convert(decoder.decode(value)),
    *decodeInPieces(value) {
      return convert(yield* inPieces(decoder, value))
    },
  }
}
