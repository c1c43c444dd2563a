import { callObject } from '../../params/callObject.js'
import { blockSelector } from '../../params/blockSelector.js'
import { stateOverride } from '../../params/stateOverride.js'
import { InvalidParamsError } from '../../errors.js'
import { formatAccessList } from '../../format/accessList.js'
import { latestBlock } from '../latestBlock.js'
import { defineMethod, optional, required } from '../../method.js'

/** eth_createAccessList: what a transaction touches, and what it costs with that declared (EIP-2930). One fee of EIP-1559 without the
 * other is refused, as the documentation of the hosted provider asks.
 */
export const createAccessList = defineMethod(
  'eth_createAccessList',
  [
    required('transaction', callObject),
    optional('block', blockSelector),
    optional('stateOverrides', stateOverride),
  ],
  async ({ view, backend, context }, call, block = latestBlock, stateOverrides) => {
    if ((call.maxFeePerGas === undefined) !== (call.maxPriorityFeePerGas === undefined)) {
      throw new InvalidParamsError('maxFeePerGas and maxPriorityFeePerGas must be given together')
    }
    return formatAccessList(
      await backend.executor.createAccessList({ view, block, call, stateOverrides, signal: context.signal }),
    )
  },
)
