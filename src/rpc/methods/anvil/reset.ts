import type { ForkTarget } from '../../controls.js'
import { defineMethod, optional } from '../../method.js'
import { controlNumber } from '../../params/numbers.js'
import { httpUrl } from '../../params/bytes.js'
import { type Decoder, struct } from '../../params/combinators.js'

const forking = struct(
  { struct: 'Forking', type: 'Forking' },
  { jsonRpcUrl: httpUrl, blockNumber: controlNumber },
)
const order = struct({ struct: 'ResetOptions', type: 'ResetOptions' }, { forking })

/** The options of a reset. Empty objects and nulls in them mean the same as no options. */
export const resetOrder: Decoder<ForkTarget> = {
  schema: order.schema,
  decode(value) {
    const { forking: given } = order.decode(value)
    return { url: given?.jsonRpcUrl, blockNumber: given?.blockNumber }
  },
}

/**
 * anvil_reset: puts the chain back to the first block that it was started with, or onto a block of a remote chain;
 * waiting transactions and snapshots are gone.
 */
export const reset = defineMethod(
  'anvil_reset',
  [optional('options', resetOrder)],
  async ({ backend }, order) => {
    await backend.controls.reset({ fork: forkOf(order) })
    return null
  },
)

/** hardhat_reset: as anvil_reset, but a chain of the node's own begins anew, and so do the numbers of snapshots. */
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
