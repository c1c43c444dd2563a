import { defineMethod, optional } from '../../method.js'
import { controlNumber } from '../../params/controlNumber.js'

/** anvil_mine: mines blocks; with an interval in seconds the first is that much behind the head too. */
export const mine = defineMethod(
  'anvil_mine',
  [optional('blocks', controlNumber), optional('interval', controlNumber)],
  async ({ backend }, blocks = 1n, interval = 0n) => {
    await backend.controls.mine({ blocks: Number(blocks), interval, intervalBeforeFirst: true })
    return null
  },
)
