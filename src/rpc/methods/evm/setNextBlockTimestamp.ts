import { controlUint64 } from '../../params/controlUint64.js'
import { defineMethod, required } from '../../method.js'

/** evm_setNextBlockTimestamp: fixes the time of the next block, in seconds. In hardhat the answer repeats it. */
export const setNextBlockTimestamp = defineMethod(
  'evm_setNextBlockTimestamp',
  [required('timestamp', controlUint64)],
  async ({ backend }, timestamp) => {
    await backend.controls.setNextBlockTimestamp(timestamp)
    return backend.settings.compatibility.returnsTimeAsDecimalText ? timestamp.toString() : null
  },
)
