import { quantity } from '../../../encoding/quantity.js'
import { callObject } from '../../params/callObject.js'
import { blockSelector } from '../../params/blockSelector.js'
import { stateOverride } from '../../params/stateOverride.js'
import { blockOverrides } from '../../params/blockOverrides.js'
import { latestBlock } from '../latestBlock.js'
import { defineMethod, optional, required } from '../../method.js'

/** eth_estimateGas: the gas that a transaction needs. */
export const estimateGas = defineMethod(
  'eth_estimateGas',
  [
    required('transaction', callObject),
    optional('block', blockSelector),
    optional('stateOverrides', stateOverride),
    optional('blockOverrides', blockOverrides),
  ],
  async ({ view, backend, context }, call, block = latestBlock, stateOverrides, overrides) =>
    quantity(
      await backend.executor.estimateGas({
        view,
        block,
        call,
        stateOverrides,
        blockOverrides: overrides,
        signal: context.signal,
      }),
    ),
)
