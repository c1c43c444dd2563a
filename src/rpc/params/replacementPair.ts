import type { Decoder } from './parameter.js'
import { callObject, type CallArguments } from './callObject.js'
import { controlNumber } from './controlNumber.js'
import { data } from './data.js'
import { ReasonError } from './decodeError.js'
import { inPieces } from './inPieces.js'

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
    const [transaction, index] = pairOf(value)
    return {
      transaction: decoderOf(transaction).decode(transaction),
      index: Number(controlNumber.decode(index)),
    }
  },
  *decodeInPieces(value) {
    const [transaction, index] = pairOf(value)
    return {
      transaction: yield* inPieces(decoderOf(transaction), transaction),
      index: Number(controlNumber.decode(index)),
    }
  },
}

function pairOf(value: unknown): unknown[] {
  if (Array.isArray(value) && value.length === 2) return value
  throw new ReasonError('expected a pair of a transaction and a block index')
}

function decoderOf(transaction: unknown): Decoder<ReplacementPair['transaction']> {
  return typeof transaction === 'string' ? data : callObject
}
