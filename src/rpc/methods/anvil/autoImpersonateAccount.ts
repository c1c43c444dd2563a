import { defineMethod, required } from '../../method.js'
import { strictBoolean } from '../../params/boolean.js'

/** anvil_autoImpersonateAccount: takes transactions of every account without a signature, or no longer. */
export const autoImpersonateAccount = defineMethod(
  'anvil_autoImpersonateAccount',
  [required('enabled', strictBoolean)],
  async ({ backend }, enabled) => {
    await backend.controls.autoImpersonate(enabled)
    return null
  },
)
