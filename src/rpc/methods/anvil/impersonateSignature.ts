import { defineMethod, required } from '../../method.js'
import { address, signature } from '../../params/bytes.js'
import { type Decoder, ReasonError } from '../../params/combinators.js'

/** A signature and the signer to report for it. */
export interface SignaturePair {
  /** 65 bytes: r, s and v. */
  signature: Uint8Array
  /** 20 bytes. */
  address: Uint8Array
}

/** A pair of signature and address. */
export const signaturePair: Decoder<SignaturePair> = {
  schema: {
    title: 'signature and address',
    type: 'array',
    prefixItems: [signature.schema, address.schema],
    minItems: 2,
    maxItems: 2,
  },
  decode(value) {
    if (!Array.isArray(value) || value.length !== 2) {
      throw new ReasonError('expected a pair of a signature and an address')
    }
    const [signed, signer]: unknown[] = value
    return { signature: signature.decode(signed), address: address.decode(signer) }
  },
}

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
