import { defineMethod, required } from '../../method.js'
import { blockSelector } from '../../params/blockSelector.js'
import { blockFrames, parityTexts } from '../../parity/blockFrames.js'
import { wireArray } from '../../wire.js'
import { tracedBlock } from '../tracedBlock.js'
import { traceBudget } from '../traces.js'

/** trace_block: the frames of all transactions of a block in Parity's form. */
export const block = defineMethod(
  'trace_block',
  [required('block', blockSelector)],
  async (call, selector) => {
    const found = tracedBlock(call.view, selector)
    return wireArray([...parityTexts(found, await blockFrames(call, found, traceBudget(call, {})))])
  },
)
