import { InvalidParamsError } from '../../errors.js'
import { defineMethod, optional } from '../../method.js'
import { resetOrder } from '../../params/resetOrder.js'

/** anvil_reset: puts the chain back to its first block; waiting transactions and snapshots are gone. */
export const reset = defineMethod(
  'anvil_reset',
  [optional('options', resetOrder)],
  async ({ backend }, order) => {
    if (order?.url !== undefined) {
      throw new InvalidParamsError('a node is not made to fetch from a URL by a call (see --fork-url)')
    }
    await backend.controls.reset()
    return null
  },
)
