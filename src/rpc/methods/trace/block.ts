import { defineMethod, required } from '../../method.js'
import { blockSelector } from '../../params/blockSelector.js'
import { listFrames } from '../../parity/frameTexts.js'
import { tracedBlock } from '../tracedBlock.js'
import { traceBudget } from '../traces.js'

/** trace_block: the frames of all transactions of a block in Parity's form. */
export const block = defineMethod('trace_block', [required('block', blockSelector)], (call, selector) =>
  listFrames(call, { block: tracedBlock(call.view, selector), budget: traceBudget(call, {}) }),
)
