import { mineOrder } from '../../params/mineOrder.js'
import { defineMethod, optional } from '../../method.js'

/** evm_mine: mines blocks now, whatever the mining mode. */
export const mine = defineMethod(
  'evm_mine',
  [optional('timestampOrOrder', mineOrder)],
  async ({ backend }, order = { blocks: 1 }) => {
    await backend.controls.mine(order)
    return '0x0'
  },
)
