import type { CallFrame } from '../../chain/tracing/callTracer.js'
import type { Call } from '../method.js'
import { traceBudget } from '../methods/traces.js'
import { eachFrame } from '../parity/blockFrames.js'

/** The outermost frame of a mined transaction, or undefined if there is none of this hash. */
export async function transactionFrame(call: Call, hash: Uint8Array): Promise<CallFrame | undefined> {
  const location = call.view.transactionLocation(hash)
  if (location === undefined) return undefined
  const { block, index } = location
  let frame: CallFrame | undefined
  await eachFrame(call, { block, only: index, budget: traceBudget(call) }, (top) => {
    frame = top
  })
  return frame
}
