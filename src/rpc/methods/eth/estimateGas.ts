import { quantity } from '../../../encoding/quantity.js'
import { defineMethod, optional, required } from '../../method.js'
import { blockOverrides } from '../../params/blockOverrides.js'
import { blockSelector } from '../../params/blockSelector.js'
import { callObject } from '../../params/callObject.js'
import { stateOverride } from '../../params/stateOverride.js'
import { executionRequest } from '../executionRequest.js'

/** eth_estimateGas: the gas that a transaction needs; in hardhat on what waits already unless a block is named. */
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
    const request = executionRequest(call, {
      transaction,
      block: block ?? { tag: backend.settings.habits.estimateBlock },
      stateOverrides: state,
      blockOverrides: header,
    })
    return quantity(await backend.executor.estimateGas(request))
  },
)
