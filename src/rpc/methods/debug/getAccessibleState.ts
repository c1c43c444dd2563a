import type { ChainView } from '../../../chain/view.js'
import { ServerError } from '../../errors.js'
import { defineMethod, required } from '../../method.js'
import { type NumberSelector, blockNumber } from '../../params/blockSelector.js'

/**
 * debug_getAccessibleState: returns the first block of a range, in either direction, whose state can be read. Every
 * state can, so it is the start, if there is such a block (geth: eth/api_debug.go).
 */
export const getAccessibleState = defineMethod(
  'debug_getAccessibleState',
  [required('from', blockNumber), required('to', blockNumber)],
  ({ view }, from, to) => {
    const start = numberOf(view, from)
    if (start === numberOf(view, to)) throw new ServerError('from and to needs to be different')
    if (view.resolve({ number: start }) === undefined) throw new ServerError(`missing header ${start}`)
    return Number(start)
  },
)

/** Every tag means the head, as in geth. */
function numberOf(view: ChainView, selector: NumberSelector): bigint {
  return 'number' in selector ? selector.number : view.head().header.number
}
