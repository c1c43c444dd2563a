import { bytesToHex } from '../../../encoding/hex.js'
import type { CompletedTransaction } from '../../../chain/accounts/wallet.js'
import { jsonBytes } from '../../format/pieces.js'
import { signedTransactionText } from '../../format/transaction.js'
import { defineMethod, required } from '../../method.js'
import { callObject } from '../../params/callObject.js'
import { WireBytes } from '../../wire.js'
import { transactionRequest } from '../transactionRequest.js'

/** A transaction that is not sent: its encoding beside its fields (geth: ethapi.SignTransactionResult). */
export function rawAndTransaction(given: CompletedTransaction): WireBytes {
  return new WireBytes([`{"raw":${jsonBytes(given.raw)},"tx":${signedTransactionText(given)}}`])
}

/**
 * eth_signTransaction: signs a transaction without sending it. Anvil and ganache answer the signed transaction alone,
 * and fill in what it lacks.
 */
export const signTransaction = defineMethod(
  'eth_signTransaction',
  [required('transaction', callObject)],
  async ({ backend }, call) => {
    const signed = await backend.accounts.signTransaction(
      transactionRequest(call, backend.settings.compatibility),
    )
    return backend.settings.compatibility.fillsBeforeSigning
      ? bytesToHex(signed.raw)
      : rawAndTransaction(signed)
  },
)
