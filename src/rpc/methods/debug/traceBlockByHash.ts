import { defineMethod, optional, required } from '../../method.js'
import { hash } from '../../params/hash.js'
import { traceConfig } from '../../params/traceConfig.js'
import { tracedBlock } from '../tracedBlock.js'
import { traceAll } from '../traces.js'

/** debug_traceBlockByHash: what each transaction of a block did, whether it is canonical or not. */
export const traceBlockByHash = defineMethod(
  'debug_traceBlockByHash',
  [required('blockHash', hash), optional('config', traceConfig)],
  async (call, blockHash, config = {}) =>
    traceAll(call, tracedBlock(call.view, { hash: blockHash, requireCanonical: false }), config),
)
