import { whenReady } from '../../../chain/state/whenReady.js'
import { formatAccessList } from '../../format/accessList.js'
import { defineMethod, optional, required } from '../../method.js'
import { blockSelector } from '../../params/blockSelector.js'
import { callObject } from '../../params/callObject.js'
import { stateOverride } from '../../params/stateOverride.js'
import { executionRequest } from '../executionRequest.js'

/** eth_createAccessList: what a transaction touches, and what it costs with that declared (EIP-2930). */
export const createAccessList = defineMethod(
  'eth_createAccessList',
  [
    required('transaction', callObject),
    optional('block', blockSelector),
    optional('stateOverrides', stateOverride),
  ],
  (call, transaction, block, stateOverrides) => {
    const request = executionRequest(call, { transaction, block, stateOverrides })
    return whenReady(call.backend.executor.createAccessList(request), formatAccessList)
  },
)
