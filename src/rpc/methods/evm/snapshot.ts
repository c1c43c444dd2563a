import { quantity } from '../../../encoding/quantity.js'
import { defineMethod } from '../../method.js'

/** evm_snapshot: remembers head and state and answers the number of the snapshot. */
export const snapshot = defineMethod('evm_snapshot', [], async ({ backend }) =>
  quantity(await backend.controls.snapshot()),
)
