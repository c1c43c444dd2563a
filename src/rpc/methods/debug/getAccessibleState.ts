import { StatePrunedError } from '../../../chain/errors.js'
import type { ChainView } from '../../../chain/view.js'
import { TimeSlice } from '../../../encoding/timeSlice.js'
import { ServerError } from '../../errors.js'
import { defineMethod, required } from '../../method.js'
import { type NumberSelector, blockNumber } from '../../params/blockSelector.js'

/**
 * debug_getAccessibleState: returns the first block of a range, in either direction and without its end, whose state
 * has not been pruned (geth: eth/api_debug.go).
 */
export const getAccessibleState = defineMethod(
  'debug_getAccessibleState',
  [required('from', blockNumber), required('to', blockNumber)],
  async ({ view, context }, from, to) => {
    const [start, end] = [numberOf(view, from), numberOf(view, to)]
    if (start === end) throw new ServerError('from and to needs to be different')
    const step = start < end ? 1n : -1n
    const slice = new TimeSlice(context.signal)
    for (let number = start; number !== end; number += step) {
      if (view.resolve({ number }) === undefined) throw new ServerError(`missing header ${number}`)
      if (await isAccessible(view, number)) return Number(number)
      await slice.pause()
    }
    throw new ServerError('no state found')
  },
)

async function isAccessible(view: ChainView, number: bigint): Promise<boolean> {
  try {
    await view.stateAt({ number })
    return true
  } catch (error) {
    if (error instanceof StatePrunedError) return false
    throw error
  }
}

/** Every tag means the head, as in geth. */
function numberOf(view: ChainView, selector: NumberSelector): bigint {
  return 'number' in selector ? selector.number : view.head().header.number
}
