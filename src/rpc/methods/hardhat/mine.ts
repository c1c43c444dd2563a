import { defineMethod, optional } from '../../method.js'
import { controlNumber } from '../../params/controlNumber.js'

/** hardhat_mine: mines blocks; an interval in seconds lies between them, and the first is where the clock is. */
export const mine = defineMethod(
  'hardhat_mine',
  [optional('blocks', controlNumber), optional('interval', controlNumber)],
  async ({ backend }, blocks = 1n, interval = 0n) => {
    await backend.controls.mine({ blocks: Number(blocks), interval })
    return null
  },
)
