import type { Decoder } from './parameter.js'
import { address } from './address.js'
import { ReasonError } from './decodeError.js'
import { signature } from './signature.js'

/** A signature and whose it is to be. */
export interface SignaturePair {
  /** 65 bytes: r, s and v. */
  signature: Uint8Array
  /** 20 bytes. */
  address: Uint8Array
}

/** A pair of a signature and an address. */
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
