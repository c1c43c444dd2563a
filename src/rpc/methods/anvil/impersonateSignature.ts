import { defineMethod, required } from '../../method.js'
import { address, signature } from '../../params/bytes.js'
import { type Decoder, mapped, pair } from '../../params/combinators.js'

/** A signature and the signer to report for it. */
export interface SignaturePair {
  /** 65 bytes: r, s and v. */
  signature: Uint8Array
  /** 20 bytes. */
  address: Uint8Array
}

/** A pair of signature and address. */
const signaturePair: Decoder<SignaturePair> = mapped(
  pair([signature, address], { title: 'signature and address', expected: 'a signature and an address' }),
  ([signed, signer]) => ({ signature: signed, address: signer }),
)

/**
 * anvil_impersonateSignature: makes contracts recover the given account from a signature, whatever was signed. Its
 * single argument is a pair of the 65-byte signature and the address.
 */
export const impersonateSignature = defineMethod(
  'anvil_impersonateSignature',
  [required('signatureAndAddress', signaturePair)],
  ({ backend }, { signature, address }) => {
    backend.controls.impersonateSignature(signature, address)
    return null
  },
)
