import type { BlockWire, SealedTransaction } from '../../../chain/block/record.js'
import type { MinedBlock } from '../../../chain/chain.js'
import { REVERTED, decodeRevertReason } from '../../../chain/evm/revertReason.js'
import { type TraceBudget, interruptible } from '../../../chain/tracing/budget.js'
import { type Steps, runToCompletion } from '../../../encoding/timeSlice.js'
import { totalDifficultyMember } from '../../format/block.js'
import { ListWriter, PieceWriter, writeBytes, written } from '../../format/pieces.js'
import { type Call, defineMethod, optional } from '../../method.js'
import { type Decoder, inPieces, struct } from '../../params/combinators.js'
import { controlNumber, controlUint64 } from '../../params/numbers.js'
import { WireBytes, countBytes, pieceText, printText } from '../../wire.js'
import { traceBudget } from '../traces.js'

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
  decode: (value) => runToCompletion(decodeOrder(value)),
  decodeInSteps: decodeOrder,
}

function* decodeOrder(value: unknown): Steps<MineOrder> {
  if (typeof value !== 'object') return { blocks: 1, timestamp: controlUint64.decode(value) }
  const { blocks = 1n, timestamp } = yield* inPieces(order, value)
  return { blocks: Number(blocks), timestamp }
}

/**
 * Writes a block with full transactions, each with its output unless it failed otherwise, and its revert reason.
 *
 * @throws TraceInterruption if the blocks become longer than an answer may be
 */
async function writeBlock(
  { view, backend }: Call,
  { block, executed }: MinedBlock,
  { list, writer, budget }: { list: ListWriter; writer: PieceWriter; budget: TraceBudget },
): Promise<void> {
  const wire = view.wire(block)
  const transactions = await written((own) => writeTransactions(wire, executed.transactions, own))
  const { totalDifficulty } = backend.settings
  const middle = `${totalDifficultyMember(block, { totalDifficulty })},"transactions":`
  const head = pieceText([wire.head()]) + middle
  budget.spend(head.length + countBytes(transactions.pieces))
  list.append(head)
  for (const piece of transactions.pieces) writer.take(piece)
  writer.append('}')
}

function* writeTransactions(
  wire: BlockWire,
  transactions: readonly SealedTransaction[],
  writer: PieceWriter,
): Steps<void> {
  const list = new ListWriter(writer)
  for (const [index, { output = new Uint8Array(0), failure }] of transactions.entries()) {
    list.append(pieceText([wire.transaction(index)]).slice(0, -1))
    const hasReverted = failure === REVERTED
    if (failure === undefined || hasReverted) {
      writer.append(',"output":')
      yield* writeBytes(output, writer)
    }
    const reason = hasReverted ? decodeRevertReason(output) : undefined
    if (reason !== undefined) {
      writer.append(',"revertReason":')
      for (const piece of yield* printText(reason)) writer.append(piece)
    }
    writer.append('}')
    yield
  }
  list.end()
}

/**
 * evm_mine_detailed: like evm_mine, but returns the blocks with their transactions' outputs, which are written as they
 * come. Those already mined stay if there are too many for an answer.
 */
export const mine_detailed = defineMethod(
  'evm_mine_detailed',
  [optional('timestampOrOrder', mineOrder)],
  async (call, order = { blocks: 1 }) => {
    const { backend, context } = call
    const writer = new PieceWriter()
    const list = new ListWriter(writer)
    const sink = { list, writer, budget: traceBudget(call) }
    const write = (mined: MinedBlock): Promise<void> => writeBlock(call, mined, sink)
    await interruptible(() => backend.controls.mine({ ...order, signal: context.signal }, write))
    list.end()
    return new WireBytes(writer.pieces())
  },
)
