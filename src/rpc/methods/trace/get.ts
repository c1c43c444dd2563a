import { defineMethod, required } from '../../method.js'
import { hash } from '../../params/hash.js'
import { list } from '../../params/list.js'
import { controlNumber } from '../../params/controlNumber.js'
import { eachFrameText } from '../../parity/frameTexts.js'
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
    const found: string[] = []
    await eachFrameText(
      call,
      {
        block,
        only: index,
        budget: traceBudget(call, {}),
        keep: (flat) => flat.traceAddress.join() === wanted,
      },
      (text) => found.push(text),
    )
    return found.length === 0 ? null : new WireBytes(found)
  },
)
