import { defineMethod, optional } from '../../method.js'
import { controlNumber } from '../../params/controlNumber.js'

/** miner_start: mines a block for each transaction from now on, and for those that wait. */
export const start = defineMethod(
  'miner_start',
  [optional('threads', controlNumber)],
  async ({ backend }) => {
    await backend.controls.setAutomine(true)
    return null
  },
)
