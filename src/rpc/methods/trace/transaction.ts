import { defineMethod, required } from '../../method.js'
import { hash } from '../../params/hash.js'
import { listFrames } from '../../parity/frameTexts.js'
import { traceBudget } from '../traces.js'

/** trace_transaction: the frames of a mined transaction in Parity's form, or null if there is none. */
export const transaction = defineMethod(
  'trace_transaction',
  [required('transactionHash', hash)],
  (call, transactionHash) => {
    const location = call.view.transactionLocation(transactionHash)
    if (location === undefined) return null
    const { block, index } = location
    return listFrames(call, { block, only: index, budget: traceBudget(call, {}) })
  },
)
