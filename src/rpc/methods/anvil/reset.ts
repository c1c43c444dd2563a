import type { ForkTarget } from '../../controls.js'
import { defineMethod, optional } from '../../method.js'
import { controlNumber } from '../../params/numbers.js'
import { httpUrl } from '../../params/bytes.js'
import { type Decoder, mapped, struct } from '../../params/combinators.js'

const forking = struct(
  { struct: 'Forking', type: 'Forking' },
  { jsonRpcUrl: httpUrl, blockNumber: controlNumber },
)
const order = struct({ struct: 'ResetOptions', type: 'ResetOptions' }, { forking })

/** Options of a reset. Empty objects, and nulls in them, mean no options. */
const resetOrder: Decoder<ForkTarget> = mapped(order, ({ forking: given }) => ({
  url: given?.jsonRpcUrl,
  blockNumber: given?.blockNumber,
}))

/**
 * anvil_reset: resets the chain to the block it was started from, or to a block of a remote chain. Pending transactions
 * and snapshots are dropped.
 */
export const reset = defineMethod(
  'anvil_reset',
  [optional('options', resetOrder)],
  async ({ backend }, order) => {
    await backend.controls.reset({ fork: forkOf(order) })
    return null
  },
)

/** hardhat_reset: like anvil_reset, but the node's own chain gets a new genesis and snapshot numbering restarts. */
export const resetAnew = defineMethod(
  'hardhat_reset',
  [optional('options', resetOrder)],
  async ({ backend }, order) => {
    await backend.controls.reset({ fork: forkOf(order), beginsAnew: true })
    return null
  },
)

function forkOf(order: ForkTarget | undefined): ForkTarget | undefined {
  return order?.url !== undefined || order?.blockNumber !== undefined ? order : undefined
}
