import { FileNetworkError } from '../errors.js'

/** A list or a map begins. */
interface OpenToken {
  kind: 'map open' | 'array open'
  /** Entries; infinite where a token ends them. */
  length: number
}

/** A list or a map ends. A `break` of CBOR ends either. */
interface CloseToken {
  kind: 'map close' | 'array close' | 'break'
}

interface ValueToken {
  kind: 'null' | 'string' | 'bytes' | 'bool' | 'int' | 'uint' | 'float' | 'link'
  value: unknown
}

/** A part of encoded data; kinds are called as in refmt, with which Kubo reads CBOR and JSON. */
export type DataToken = OpenToken | CloseToken | ValueToken

/** Encoded data, token by token. */
export interface TokenSource {
  /**
   * The next token.
   *
   * @param place - what may stand there: data that ends in the place of a value ends unexpectedly
   * @throws EndOfDataError where the data ends, {@link FileNetworkError} where there is no token
   */
  next(place: 'value' | 'entry'): DataToken
  /** @throws {@link FileNetworkError} where something stands behind the last token */
  finish(): void
  /** What all of the data may take; infinite where there is no limit. */
  readonly budget: number
}

/** Data ends within one of its parts. */
export class UnexpectedEndError extends FileNetworkError {
  constructor() {
    super('unexpected EOF')
  }
}
