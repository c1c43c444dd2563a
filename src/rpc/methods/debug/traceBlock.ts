import { hashOfBlock } from '../../../chain/block/rawParts.js'
import { ServerError } from '../../errors.js'
import { defineMethod, optional, required } from '../../method.js'
import { data } from '../../params/data.js'
import { traceConfig } from '../../params/traceConfig.js'
import { tracedBlock } from '../tracedBlock.js'
import { traceAll } from '../traces.js'

/** debug_traceBlock: what each transaction of a block did that is given as RLP; the chain has to have the block. */
export const traceBlock = defineMethod(
  'debug_traceBlock',
  [required('block', data), optional('config', traceConfig)],
  async (call, rlp, config = {}) => {
    const hash = hashOfBlock(rlp)
    if (hash === undefined) throw new ServerError('could not decode block: the bytes are no block')
    return traceAll(call, tracedBlock(call.view, { hash, requireCanonical: false }), config)
  },
)
