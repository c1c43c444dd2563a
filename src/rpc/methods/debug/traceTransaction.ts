import { TransactionNotFoundError } from '../../errors.js'
import { defineMethod, optional, required } from '../../method.js'
import { hash } from '../../params/bytes.js'
import { traceConfig } from '../../params/traceConfig.js'
import { traceOne } from '../traces.js'

/** debug_traceTransaction: traces a mined transaction by executing it again on its original state. */
export const traceTransaction = defineMethod(
  'debug_traceTransaction',
  [required('transactionHash', hash), optional('config', traceConfig)],
  async (call, transactionHash, config = {}) => {
    const location = call.view.transactionLocation(transactionHash)
    if (location === undefined) throw new TransactionNotFoundError(transactionHash)
    return traceOne(call, location.block, location.index, config)
  },
)
