import type { Steps } from '../../encoding/timeSlice.js'
import type { JsonSchema } from '../wire.js'

/** Turns one JSON value into what methods work on. */
export interface Decoder<T> {
  readonly schema: JsonSchema
  /** @throws DecodeError if the value does not fit. */
  decode(value: unknown): T
  /** The same in pieces. Decoders that take little time for any value have none. */
  decodeInPieces?(value: unknown): Steps<T>
}

/** One positional parameter of a method. */
export interface Parameter<T> {
  readonly name: string
  readonly required: boolean
  readonly decoder: Decoder<T>
}

/** The decoded arguments that belong to a list of parameters. */
export type ArgumentsOf<P extends readonly Parameter<unknown>[]> = {
  [I in keyof P]: P[I] extends Parameter<infer T> ? T : never
}
