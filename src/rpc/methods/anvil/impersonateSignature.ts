import { defineMethod, required } from '../../method.js'
import { signaturePair } from '../../params/signaturePair.js'

/**
 * anvil_impersonateSignature: contracts that recover the signer of a signature get an account of the caller's choice
 * from now on, whatever was signed. Its one argument is a pair of the 65-byte signature and the address.
 */
export const impersonateSignature = defineMethod(
  'anvil_impersonateSignature',
  [required('signatureAndAddress', signaturePair)],
  async ({ backend }, { signature, address }) => {
    await backend.controls.impersonateSignature(signature, address)
    return null
  },
)
