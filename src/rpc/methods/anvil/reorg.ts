import type { Replacement } from '../../../chain/controls/reorganise.js'
import { TimeSlice } from '../../../encoding/timeSlice.js'
import type { CompatibilityProfile } from '../../compatibility.js'
import { InvalidParamsError } from '../../errors.js'
import { type Method, defineMethod, required } from '../../method.js'
import { data } from '../../params/bytes.js'
import { type CallArguments, callObject } from '../../params/callObject.js'
import { type Decoder, inPieces, list, mapped, pair } from '../../params/combinators.js'
import { controlNumber } from '../../params/numbers.js'
import { transactionRequest } from '../transactionRequest.js'

/** A transaction and the index of the new block that receives it. */
export interface ReplacementPair {
  /** Signed, in EIP-2718 form, or as an unsigned request. */
  transaction: Uint8Array | CallArguments
  index: number
}

const rawOrUnsigned: Decoder<ReplacementPair['transaction']> = {
  schema: { anyOf: [data.schema, callObject.schema] },
  decode: (value) => decoderOf(value).decode(value),
  decodeInSteps: (value) => inPieces(decoderOf(value), value),
}

function decoderOf(transaction: unknown): Decoder<ReplacementPair['transaction']> {
  return typeof transaction === 'string' ? data : callObject
}

/** A pair of transaction and block index. */
export const replacementPair: Decoder<ReplacementPair> = mapped(
  pair([rawOrUnsigned, controlNumber], {
    title: 'transaction and block index',
    expected: 'a transaction and a block index',
  }),
  ([transaction, index]) => ({ transaction, index: Number(index) }),
)

const byPosition = defineMethod(
  'anvil_reorg',
  [required('depth', controlNumber), required('tx_block_pairs', list(replacementPair, 'ReorgOptions'))],
  async ({ backend }, depth, pairs) => {
    const replacements: Replacement[] = []
    const slice = new TimeSlice()
    for (const pair of pairs) {
      replacements.push(toReplacement(pair, backend.settings.compatibility))
      const pause = slice.pause()
      if (pause !== undefined) await pause
    }
    await backend.controls.reorganise({ depth: Number(depth), replacements })
    return null
  },
)

/**
 * anvil_reorg: replaces the last blocks with as many new ones, which contain the given transactions, each with the
 * index of its new block. The parameters may also be an object instead of an array.
 */
export const reorg: Method = {
  ...byPosition,
  invoke(call, params) {
    if (typeof params !== 'object' || params === null || Array.isArray(params)) {
      return byPosition.invoke(call, params)
    }
    const { depth, tx_block_pairs: pairs } = params as Record<string, unknown>
    return byPosition.invoke(call, [depth, pairs])
  },
}

function toReplacement(
  { transaction, index }: ReplacementPair,
  compatibility: CompatibilityProfile,
): Replacement {
  if (transaction instanceof Uint8Array) return { transaction, index }
  const { from, ...request } = transactionRequest(transaction, compatibility)
  if (from === undefined) throw new InvalidParamsError('invalid argument 1: a transaction has no sender')
  return { transaction: { ...request, from }, index }
}
