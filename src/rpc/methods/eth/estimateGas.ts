import { isPlainTransfer } from '../../../chain/calls/estimate.js'
import { PLAIN_TRANSFER_GAS } from '../../../chain/evm/forkSchedule.js'
import { bytesEqual, quantity } from '../../../encoding/hex.js'
import { defineMethod, optional, required } from '../../method.js'
import { blockSelector } from '../../params/blockSelector.js'
import {
  type CallArguments,
  blockOverrides,
  callObject,
  stateOverride,
  toCall,
} from '../../params/callObject.js'
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
    const hasNewCode =
      state?.some(({ address, code }) => code !== undefined && isTo(transaction, address)) ?? false
    if (estimatesPlainTransfersStatically && !hasNewCode) {
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

function isTo({ to }: CallArguments, address: Uint8Array): boolean {
  return to !== undefined && bytesEqual(to, address)
}
