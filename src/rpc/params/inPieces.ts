import type { Steps } from '../../encoding/timeSlice.js'
import type { Decoder } from './parameter.js'

/**
 * What a decoder makes of a value, in pieces where it may take long.
 *
 * @throws DecodeError if the value does not fit.
 */
export function* inPieces<T>(decoder: Decoder<T>, value: unknown): Steps<T> {
  return decoder.decodeInPieces === undefined ? decoder.decode(value) : yield* decoder.decodeInPieces(value)
}
