import type { Replacement } from '../../../chain/controls/reorganise.js'
import { TimeSlice } from '../../../encoding/timeSlice.js'
import { InvalidParamsError } from '../../errors.js'
import type { CompatibilityProfile } from '../../compatibility.js'
import { defineMethod, required, type Method } from '../../method.js'
import { controlNumber } from '../../params/controlNumber.js'
import { replacementPair, type ReplacementPair } from '../../params/replacementPair.js'
import { list } from '../../params/list.js'
import { transactionRequest } from '../transactionRequest.js'

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
 * anvil_reorg: takes blocks off the end of the chain and mines as many anew, which hold the given transactions, each
 * with the index of its block among the new ones. The parameters may also be one object in place of the array.
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
  if (from === undefined) throw new InvalidParamsError('invalid argument 1: a transaction lacks its sender')
  return { transaction: { ...request, from }, index }
}
