import { TransactionRejectedError } from '../errors.js'

/** Bytes that are not the RLP of a transaction, in geth's words (rlp/decode.go). */
export class TransactionEncodingError extends TransactionRejectedError {}

/** The error of a value of the wrong form, with where it stands. */
export function fieldError(problem: string, type: string, path: string): TransactionEncodingError {
  return new TransactionEncodingError(
    `rlp: ${problem} for ${type}${path === '' ? '' : `, decoding into ${path}`}`,
  )
}
