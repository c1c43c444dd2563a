import { defineMethod, required } from '../../method.js'
import { blockSelector } from '../../params/blockSelector.js'
import { controlNumber } from '../../params/numbers.js'
import { hash } from '../../params/bytes.js'
import { list } from '../../params/combinators.js'
import { writeFrameTexts, listFrames } from '../../parity/parityTrace.js'
import { WireBytes } from '../../wire.js'
import { isMissingInAnvil, tracedBlock } from '../debug/traceBlock.js'
import { isPendingInAnvil } from '../findBlock.js'
import { traceBudget } from '../traces.js'

/** trace_block: returns the frames of all transactions of a block in Parity's format. */
export const block = defineMethod('trace_block', [required('block', blockSelector)], (call, selector) => {
  if (isPendingInAnvil(call, selector) || isMissingInAnvil(call, selector)) return []
  return listFrames(call, { block: tracedBlock(call.view, selector), budget: traceBudget(call) })
})

/** trace_get: returns one frame of a mined transaction by trace address, or null if there is none. */
export const get = defineMethod(
  'trace_get',
  [required('transactionHash', hash), required('traceAddress', list(controlNumber, '[]hexutil.Uint'))],
  async (call, transactionHash, traceAddress) => {
    const location = call.view.transactionLocation(transactionHash)
    if (location === undefined) return null
    const { block, index } = location
    const found: string[] = []
    await writeFrameTexts(
      call,
      {
        block,
        transactionIndex: index,
        budget: traceBudget(call),
        keep: ({ traceAddress: own }) =>
          own.length === traceAddress.length &&
          own.every((step, depth) => BigInt(step) === traceAddress[depth]),
      },
      (text) => found.push(text),
    )
    return found.length === 0 ? null : new WireBytes(found)
  },
)

/**
 * trace_transaction: returns a mined transaction's frames in Parity's format; if unknown null, in anvil an empty list.
 */
export const transaction = defineMethod(
  'trace_transaction',
  [required('transactionHash', hash)],
  (call, transactionHash) => {
    const location = call.view.transactionLocation(transactionHash)
    if (location === undefined) return call.backend.settings.compatibility.missing === 'anvil' ? [] : null
    const { block, index } = location
    return listFrames(call, { block, transactionIndex: index, budget: traceBudget(call) })
  },
)
