import { defineMethod, optional } from '../../method.js'
import { controlNumber } from '../../params/controlNumber.js'

/** anvil_rollback: takes blocks off the end of the chain, one unless more are asked for; their transactions are gone. */
export const rollback = defineMethod(
  'anvil_rollback',
  [optional('depth', controlNumber)],
  async ({ backend }, depth = 1n) => {
    await backend.controls.rollback(Number(depth))
    return null
  },
)
