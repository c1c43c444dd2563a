import type { Decoder } from './parameter.js'
import { callObject, type CallArguments } from './callObject.js'
import { controlNumber } from './controlNumber.js'
import { data } from './data.js'
import { ReasonError } from './decodeError.js'

/** A transaction and which of the new blocks it goes into. */
export interface ReplacementPair {
  /** Signed, in its EIP-2718 form, or as a caller describes it. */
  transaction: Uint8Array | CallArguments
  index: number
}

/** A pair of a transaction and the index of a block. */
export const replacementPair: Decoder<ReplacementPair> = {
  schema: {
    title: 'transaction and block index',
    type: 'array',
    prefixItems: [{ anyOf: [data.schema, callObject.schema] }, controlNumber.schema],
    minItems: 2,
    maxItems: 2,
  },
  decode(value) {
    if (!Array.isArray(value) || value.length !== 2) {
      throw new ReasonError('expected a pair of a transaction and a block index')
    }
    const [transaction, index]: unknown[] = value
    return {
      transaction:
        typeof transaction === 'string' ? data.decode(transaction) : callObject.decode(transaction),
      index: Number(controlNumber.decode(index)),
    }
  },
}
