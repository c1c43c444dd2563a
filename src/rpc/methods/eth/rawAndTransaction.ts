import type { SignedTransaction } from '../../backend.js'
import { jsonBytes } from '../../format/members.js'
import { signedTransactionText } from '../../format/transaction.js'
import { WireBytes } from '../../wire.js'

/** A transaction that is not sent: its encoding beside its fields (geth: ethapi.SignTransactionResult). */
export function rawAndTransaction(given: SignedTransaction): WireBytes {
  return new WireBytes([`{"raw":${jsonBytes(given.raw)},"tx":${signedTransactionText(given)}}`])
}
