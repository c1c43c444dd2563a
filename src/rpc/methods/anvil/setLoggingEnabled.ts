import { defineMethod, required } from '../../method.js'
import { strictBoolean } from '../../params/boolean.js'

/** anvil_setLoggingEnabled: lets the command tell about blocks and contracts, or keeps it quiet. */
export const setLoggingEnabled = defineMethod(
  'anvil_setLoggingEnabled',
  [required('enabled', strictBoolean)],
  async ({ backend }, enabled) => {
    await backend.controls.setLogging(enabled)
    return null
  },
)
