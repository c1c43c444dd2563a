import { bytesToHex } from '../../../encoding/hex.js'
import { ServerError } from '../../errors.js'
import { defineMethod, optional, required } from '../../method.js'
import { hash } from '../../params/bytes.js'
import { traceConfig } from '../../params/traceConfig.js'

/** debug_intermediateRoots: returns the state root after each transaction of a block; null if it has none. */
export const intermediateRoots = defineMethod(
  'debug_intermediateRoots',
  [required('blockHash', hash), optional('config', traceConfig)],
  async ({ view, backend, context }, blockHash) => {
    const block = view.blockByHash(blockHash)
    if (block === undefined) throw new ServerError(`block ${bytesToHex(blockHash)} not found`)
    const roots = await backend.tracing.intermediateRoots({ view, block, requester: context })
    return roots.length === 0 ? null : roots.map(bytesToHex)
  },
)
