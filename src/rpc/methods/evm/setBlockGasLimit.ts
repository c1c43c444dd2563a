import { ServerError } from '../../errors.js'
import { defineMethod, required } from '../../method.js'
import { controlUint64 } from '../../params/controlUint64.js'

/** evm_setBlockGasLimit: sets the gas limit of blocks from the next on; true. */
export const setBlockGasLimit = defineMethod(
  'evm_setBlockGasLimit',
  [required('gasLimit', controlUint64)],
  async ({ backend }, gasLimit) => {
    if (gasLimit === 0n) throw new ServerError('Block gas limit must be greater than 0')
    await backend.controls.setBlockGasLimit(gasLimit)
    return true
  },
)
