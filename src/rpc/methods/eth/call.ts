import { whenReady } from '../../../encoding/timeSlice.js'
import { bytesWire } from '../../format/pieces.js'
import { defineMethod, optional, required } from '../../method.js'
import { blockSelector } from '../../params/blockSelector.js'
import { blockOverrides, callObject, stateOverride } from '../../params/callObject.js'
import { checkBlobFeeCap, executionRequest } from '../transactionRequest.js'

/** eth_call: executes a message without a transaction and returns its output. */
export const call = defineMethod(
  'eth_call',
  [
    required('transaction', callObject),
    optional('block', blockSelector),
    optional('stateOverrides', stateOverride),
    optional('blockOverrides', blockOverrides),
  ],
  (call, transaction, block, state, header) => {
    checkBlobFeeCap(transaction)
    const request = executionRequest(call, {
      transaction,
      block,
      stateOverrides: state,
      blockOverrides: header,
    })
    return whenReady(call.backend.executor.call(request), bytesWire)
  },
)
