import { isPlainTransfer } from '../../../chain/calls/estimate.js'
import { PLAIN_TRANSFER_GAS } from '../../../chain/evm/forkSchedule.js'
import { quantity } from '../../../encoding/hex.js'
import { defineMethod, optional, required } from '../../method.js'
import { blockSelector } from '../../params/blockSelector.js'
import { blockOverrides, callObject, stateOverride, toCall } from '../../params/callObject.js'
import { checkBlobFeeCap, checkFeeWidths, executionRequest } from '../transactionRequest.js'

/** eth_estimateGas: estimates a transaction's gas; in hardhat on the pending block by default. */
export const estimateGas = defineMethod(
  'eth_estimateGas',
  [
    required('transaction', callObject),
    optional('block', blockSelector),
    optional('stateOverrides', stateOverride),
    optional('blockOverrides', blockOverrides),
  ],
  async (call, transaction, block, state, header) => {
    const { backend } = call
    const { compatibility } = backend.settings
    const { estimateBlockTag, estimatesPlainTransfersStatically } = compatibility
    checkBlobFeeCap(transaction)
    checkFeeWidths(transaction, compatibility)
    const at = block ?? { tag: estimateBlockTag }
    if (estimatesPlainTransfersStatically && state === undefined) {
      const { state: own } = await call.view.stateAt(at)
      if (await isPlainTransfer(toCall(transaction), own)) return quantity(PLAIN_TRANSFER_GAS)
    }
    const request = executionRequest(call, {
      transaction,
      block: at,
      stateOverrides: state,
      blockOverrides: header,
    })
    return quantity(await backend.executor.estimateGas(request))
  },
)
