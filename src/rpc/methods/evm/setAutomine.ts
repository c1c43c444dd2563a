import { strictBoolean } from '../../params/boolean.js'
import { defineMethod, required } from '../../method.js'

/** evm_setAutomine: switches mining on every transaction on or off. */
export const setAutomine = defineMethod(
  'evm_setAutomine',
  [required('enabled', strictBoolean)],
  async ({ backend }, enabled) => {
    await backend.controls.setAutomine(enabled)
    return null
  },
)
