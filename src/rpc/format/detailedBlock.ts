import type { MinedBlock } from '../../chain/chain.js'
import { decodeRevertReason } from '../../chain/execution/revertReason.js'
import type { ChainView } from '../../chain/view.js'
import { bytesToHex } from '../../encoding/hex.js'
import type { JsonValue } from '../wire.js'
import { blockWire, type BlockShape } from './block.js'

/** A block with whole transactions, each with what it returned and, if it failed with a reason, that reason. */
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
      const { output = new Uint8Array(0), receipt } = executed.transactions[index] ?? {}
      const reason = receipt?.status === 0 ? decodeRevertReason(output) : undefined
      return { ...transaction, output: bytesToHex(output), revertReason: reason }
    }),
  }
}
