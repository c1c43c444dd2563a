import type { MinedBlock } from '../../../chain/chain.js'
import { REVERTED, decodeRevertReason } from '../../../chain/evm/revertReason.js'
import type { ChainView } from '../../../chain/view.js'
import { bytesToHex } from '../../../encoding/hex.js'
import { type Steps, runToCompletion } from '../../../encoding/timeSlice.js'
import { type BlockShape, blockWire } from '../../format/block.js'
import { defineMethod, optional } from '../../method.js'
import { type Decoder, inPieces, struct } from '../../params/combinators.js'
import { controlNumber, controlUint64 } from '../../params/numbers.js'
import type { JsonValue } from '../../wire.js'

/** Parameters of evm_mine. */
export interface MineOrder {
  blocks: number
  /** Seconds. */
  timestamp?: bigint | undefined
}

const order = struct(
  { struct: 'MineOptions', type: 'MineOptions' },
  { blocks: controlNumber, timestamp: controlUint64 },
)

/** A timestamp, or an object with `timestamp` and `blocks`: the forms that clients of all development nodes use. */
export const mineOrder: Decoder<MineOrder> = {
  schema: { anyOf: [controlNumber.schema, order.schema] },
  decode(value) {
    return runToCompletion(decodeOrder(value))
  },
  decodeInPieces: decodeOrder,
}

function* decodeOrder(value: unknown): Steps<MineOrder> {
  if (typeof value !== 'object') return { blocks: 1, timestamp: controlUint64.decode(value) }
  const { blocks = 1n, timestamp } = yield* inPieces(order, value)
  return { blocks: Number(blocks), timestamp }
}

/** Returns a block with full transactions, each with its output unless it failed otherwise, and its revert reason. */
export function detailedBlock(
  view: ChainView,
  { block, executed }: MinedBlock,
  shape: Pick<BlockShape, 'totalDifficulty'>,
): JsonValue {
  const wire = blockWire(view, block, { ...shape, fullTransactions: true }).parse()
  const { transactions, ...rest } = wire as { transactions: Record<string, JsonValue>[] } & Record<
    string,
    JsonValue
  >
  return {
    ...rest,
    transactions: transactions.map((transaction, index) => {
      const { output = new Uint8Array(0), failure } = executed.transactions[index] ?? {}
      const hasReverted = failure === REVERTED
      return {
        ...transaction,
        output: failure === undefined || hasReverted ? bytesToHex(output) : undefined,
        revertReason: hasReverted ? decodeRevertReason(output) : undefined,
      }
    }),
  }
}

/** evm_mine_detailed: like evm_mine, but returns the blocks with their transactions' outputs. */
export const mine_detailed = defineMethod(
  'evm_mine_detailed',
  [optional('timestampOrOrder', mineOrder)],
  async ({ view, backend, context }, order = { blocks: 1 }) => {
    const { totalDifficulty } = backend.settings
    const blocks: JsonValue[] = []
    await backend.controls.mine({ ...order, signal: context.signal }, (mined) =>
      blocks.push(detailedBlock(view, mined, { totalDifficulty })),
    )
    return blocks
  },
)
