import { defineMethod, required } from '../../method.js'
import { hash } from '../../params/hash.js'
import { list } from '../../params/list.js'
import { controlNumber } from '../../params/controlNumber.js'
import { blockFrames, parityTexts } from '../../parity/blockFrames.js'
import { WireBytes } from '../../wire.js'
import { traceBudget } from '../traces.js'

/** trace_get: one frame of a mined transaction by its trace address, or null if there is none. */
export const get = defineMethod(
  'trace_get',
  [required('transactionHash', hash), required('traceAddress', list(controlNumber, '[]hexutil.Uint'))],
  async (call, transactionHash, traceAddress) => {
    const location = call.view.transactionLocation(transactionHash)
    if (location === undefined) return null
    const { block, index } = location
    const wanted = traceAddress.join()
    const frames = await blockFrames(call, block, traceBudget(call, {}), index)
    const [text] = parityTexts(block, frames, (flat) => flat.traceAddress.join() === wanted)
    return text === undefined ? null : new WireBytes([text])
  },
)
