import { FileNetworkError } from '../errors.js'

/** Start of a list or map. */
interface OpenToken {
  kind: 'map open' | 'array open'
  /** Number of entries; infinite if a closing token ends them. */
  length: number
}

/** End of a list or map. CBOR's `break` ends either. */
interface CloseToken {
  kind: 'map close' | 'array close' | 'break'
}

interface ValueToken {
  kind: 'null' | 'string' | 'bytes' | 'bool' | 'int' | 'uint' | 'float' | 'link'
  value: unknown
}

/** A token of encoded data; kinds are named as in refmt, Kubo's decoder of CBOR and JSON. */
export type DataToken = OpenToken | CloseToken | ValueToken

/** Encoded data as a sequence of tokens. */
export interface TokenSource {
  /**
   * Returns the next token.
   *
   * @param place - what is expected: an end of data in place of a value is unexpected
   * @throws EndOfDataError at the end of the data, {@link FileNetworkError} for anything but a token
   */
  next(place: 'value' | 'entry'): DataToken
  /** @throws {@link FileNetworkError} if anything follows the last token */
  finish(): void
  /** Maximum total cost of the data; infinite for no limit. */
  readonly budget: number
}

/** The data would take too much work (go-ipld-prime, `dagcbor`). */
export class DemandingError extends FileNetworkError {
  constructor() {
    super('message structure demanded too many resources to process')
  }
}

/** The data ends within a token or value. */
export class UnexpectedEndError extends FileNetworkError {
  constructor() {
    super('unexpected EOF')
  }
}
