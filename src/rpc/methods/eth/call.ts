import { bytesToHex } from '../../../encoding/hex.js'
import { callObject } from '../../params/callObject.js'
import { blockSelector } from '../../params/blockSelector.js'
import { stateOverride } from '../../params/stateOverride.js'
import { blockOverrides } from '../../params/blockOverrides.js'
import { latestBlock } from '../latestBlock.js'
import { defineMethod, optional, required } from '../../method.js'

/** eth_call: what a message returns, without a transaction. */
export const call = defineMethod(
  'eth_call',
  [
    required('transaction', callObject),
    optional('block', blockSelector),
    optional('stateOverrides', stateOverride),
    optional('blockOverrides', blockOverrides),
  ],
  async ({ view, backend, context }, call, block = latestBlock, stateOverrides, overrides) =>
    bytesToHex(
      await backend.executor.call({
        view,
        block,
        call,
        stateOverrides,
        blockOverrides: overrides,
        signal: context.signal,
      }),
    ),
)
