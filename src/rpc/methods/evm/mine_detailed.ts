import { mineOrder } from '../../params/mineOrder.js'
import { defineMethod, optional } from '../../method.js'
import { detailedBlock } from '../../format/detailedBlock.js'
import type { JsonValue } from '../../wire.js'

/** evm_mine_detailed: mines as evm_mine does and answers the blocks with what their transactions returned. */
export const mine_detailed = defineMethod(
  'evm_mine_detailed',
  [optional('timestampOrOrder', mineOrder)],
  async ({ view, backend }, order = { blocks: 1 }) => {
    const { totalDifficulty } = backend.settings
    const blocks: JsonValue[] = []
    await backend.controls.mine(order, (mined) =>
      blocks.push(detailedBlock(view, mined, { totalDifficulty })),
    )
    return blocks
  },
)
