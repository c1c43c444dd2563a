import { bytesToHex } from '../../../encoding/hex.js'
import { UnknownAccountError } from '../../../chain/accounts/keyring.js'
import type { CompletedTransaction } from '../../../chain/accounts/wallet.js'
import type { Backend } from '../../backend.js'
import { jsonBytes } from '../../format/pieces.js'
import { signedTransactionText } from '../../format/transaction.js'
import { defineMethod, required } from '../../method.js'
import { type CallArguments, callObject } from '../../params/callObject.js'
import { WireBytes } from '../../wire.js'
import {
  blobTransactionRequest,
  checkSignersChain,
  givenSidecar,
  transactionRequest,
} from '../transactionRequest.js'

/** Formats an unsent transaction: its encoding and its fields (geth: ethapi.SignTransactionResult). */
export function rawAndTransaction(given: CompletedTransaction): WireBytes {
  return new WireBytes([`{"raw":${jsonBytes(given.raw)},"tx":${signedTransactionText(given)}}`])
}

/**
 * Signs a transaction without sending it; in anvil and ganache, missing fields are filled in.
 *
 * @throws UnknownAccountError in anvil even for impersonated accounts
 */
export async function signOnly(backend: Backend, given: CallArguments): Promise<CompletedTransaction> {
  const { wallet, keyring, settings } = backend
  const { compatibility } = settings
  const { from } = given
  if (compatibility.requestChecks === 'anvil' && from !== undefined && !keyring.has(from)) {
    throw new UnknownAccountError(from)
  }
  checkSignersChain(backend, given)
  if (!compatibility.fillsBeforeSigning) {
    return wallet.sign(blobTransactionRequest(given, compatibility), givenSidecar(given))
  }
  const { transaction, hash } = await wallet.prepareUnsent(transactionRequest(given, compatibility))
  return { raw: transaction.serialize(), transaction, hash }
}

/**
 * eth_signTransaction: signs a transaction without sending it. Anvil and ganache fill in missing fields and return only
 * the signed bytes.
 */
export const signTransaction = defineMethod(
  'eth_signTransaction',
  [required('transaction', callObject)],
  async ({ backend }, call) => {
    const signed = await signOnly(backend, call)
    return backend.settings.compatibility.fillsBeforeSigning
      ? bytesToHex(signed.raw)
      : rawAndTransaction(signed)
  },
)
