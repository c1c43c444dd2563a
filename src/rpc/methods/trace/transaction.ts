import { defineMethod, required } from '../../method.js'
import { hash } from '../../params/hash.js'
import { blockFrames, parityTexts } from '../../parity/blockFrames.js'
import { wireArray } from '../../wire.js'
import { traceBudget } from '../traces.js'

/** trace_transaction: the frames of a mined transaction in Parity's form, or null if there is none. */
export const transaction = defineMethod(
  'trace_transaction',
  [required('transactionHash', hash)],
  async (call, transactionHash) => {
    const location = call.view.transactionLocation(transactionHash)
    if (location === undefined) return null
    const { block, index } = location
    const frames = await blockFrames(call, block, traceBudget(call, {}), index)
    return wireArray([...parityTexts(block, frames)])
  },
)
