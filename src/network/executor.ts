import { createAccessList } from '../chain/execution/accessList.js'
import { call } from '../chain/execution/call.js'
import { createCallSite } from '../chain/execution/callSite.js'
import { estimateGas } from '../chain/execution/estimate.js'
import type { ExecutionRequest, Executor } from '../rpc/backend.js'

/**
 * Executes messages on the block that a request names.
 *
 * @param pendingGasLimit - the gas limit that the next block will have
 */
export function createExecutor(pendingGasLimit: () => bigint): Executor {
  return {
    call: async (request) => call(await toCallRequest(request)),
    estimateGas: async (request) => {
      const blockGasLimit = request.blockOverrides?.gasLimit ?? pendingGasLimit()
      return estimateGas({ ...(await toCallRequest(request)), blockGasLimit })
    },
    createAccessList: async (request) => createAccessList(await toCallRequest(request)),
  }
}

async function toCallRequest({ view, block, call: message, stateOverrides, blockOverrides }: ExecutionRequest) {
  return {
    site: createCallSite(view, await view.stateAt(block)),
    call: message,
    ...(stateOverrides && { stateOverrides }),
    ...(blockOverrides && { blockOverrides }),
  }
}
