import { ChainError } from '../errors.js'

/** A block of another node, or of a file, that does not check. */
export class ImportError extends ChainError {
  override readonly name = 'ImportError'
  /** The block's; undefined where its bytes do not say it. */
  readonly number: bigint | undefined
  /** What differs: a field of the header, `transaction 3`, or `encoding`. */
  readonly field: string

  constructor(number: bigint | undefined, field: string, reason: string) {
    super(`${number === undefined ? 'a block' : `block ${number}`}: ${field}: ${reason}`)
    this.number = number
    this.field = field
  }
}
