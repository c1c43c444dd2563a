import { whenReady } from '../../../encoding/timeSlice.js'
import { PLAIN_TRANSFER_GAS, isPlainTransfer } from '../../../chain/calls/estimate.js'
import type { BlockSelector } from '../../../chain/view.js'
import { quantity } from '../../../encoding/hex.js'
import { type Call, defineMethod, optional, required } from '../../method.js'
import { blockSelector } from '../../params/blockSelector.js'
import {
  type CallArguments,
  blockOverrides,
  callObject,
  stateOverride,
  toCall,
} from '../../params/callObject.js'
import { checkBlobFeeCap, checkFeeWidths, executionRequest } from '../transactionRequest.js'

/** eth_estimateGas: the gas that a transaction needs; in hardhat on what waits already unless a block is named. */
export const estimateGas = defineMethod(
  'eth_estimateGas',
  [
    required('transaction', callObject),
    optional('block', blockSelector),
    optional('stateOverrides', stateOverride),
    optional('blockOverrides', blockOverrides),
  ],
  (call, transaction, block, state, header) => {
    const { backend } = call
    const { compatibility } = backend.settings
    const { estimateBlockTag, estimatesPlainTransfersStatically } = compatibility
    checkBlobFeeCap(transaction)
    checkFeeWidths(transaction, compatibility)
    const at = block ?? { tag: estimateBlockTag }
    const isPlain =
      estimatesPlainTransfersStatically && state === undefined && isPlainTransferCall(call, transaction, at)
    return whenReady(isPlain, (plain) => {
      if (plain) return quantity(PLAIN_TRANSFER_GAS)
      const request = executionRequest(call, {
        transaction,
        block: at,
        stateOverrides: state,
        blockOverrides: header,
      })
      return whenReady(backend.executor.estimateGas(request), quantity)
    })
  },
)

async function isPlainTransferCall(
  { view }: Call,
  given: CallArguments,
  block: BlockSelector,
): Promise<boolean> {
  const { state } = await view.stateAt(block)
  return isPlainTransfer(toCall(given), state)
}
