import { defineMethod, optional } from '../../method.js'
import { resetOrder } from '../../params/resetOrder.js'

/**
 * anvil_reset: puts the chain back to the first block that it was started with, or onto a block of a remote chain;
 * waiting transactions and snapshots are gone.
 */
export const reset = defineMethod(
  'anvil_reset',
  [optional('options', resetOrder)],
  async ({ backend }, order) => {
    const isFork = order?.url !== undefined || order?.blockNumber !== undefined
    await backend.controls.reset(isFork ? order : undefined)
    return null
  },
)
