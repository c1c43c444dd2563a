import { defineMethod, optional, required } from '../../method.js'
import { blockNumber } from '../../params/blockNumber.js'
import { traceConfig } from '../../params/traceConfig.js'
import { tracedBlock } from '../tracedBlock.js'
import { traceAll } from '../traces.js'

/** debug_traceBlockByNumber: what each transaction of a block did. */
export const traceBlockByNumber = defineMethod(
  'debug_traceBlockByNumber',
  [required('block', blockNumber), optional('config', traceConfig)],
  async (call, selector, config = {}) => traceAll(call, tracedBlock(call.view, selector), config),
)
