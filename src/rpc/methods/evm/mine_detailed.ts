import type { MinedBlock } from '../../../chain/chain.js'
import { REVERTED, decodeRevertReason } from '../../../chain/evm/revertReason.js'
import type { ChainView } from '../../../chain/view.js'
import { type Steps, runToCompletion } from '../../../encoding/timeSlice.js'
import { type BlockShape, totalDifficultyMember } from '../../format/block.js'
import { jsonBytes, writtenTexts } from '../../format/pieces.js'
import { defineMethod, optional } from '../../method.js'
import { type Decoder, inPieces, struct } from '../../params/combinators.js'
import { controlNumber, controlUint64 } from '../../params/numbers.js'
import { WireBytes, type WirePiece, pieceText, printJson } from '../../wire.js'

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
  decodeInPieces: decodeOrder,
}

function* decodeOrder(value: unknown): Steps<MineOrder> {
  if (typeof value !== 'object') return { blocks: 1, timestamp: controlUint64.decode(value) }
  const { blocks = 1n, timestamp } = yield* inPieces(order, value)
  return { blocks: Number(blocks), timestamp }
}

/** Returns a block with full transactions, each with its output unless it failed otherwise, and its revert reason. */
async function detailedBlock(
  view: ChainView,
  { block, executed }: MinedBlock,
  shape: Pick<BlockShape, 'totalDifficulty'>,
): Promise<WireBytes> {
  const wire = view.wire(block)
  const transactions = await writtenTexts(block.transactions.keys(), (index) => {
    const { output = new Uint8Array(0), failure } = executed.transactions[index] ?? {}
    const hasReverted = failure === REVERTED
    const reason = hasReverted ? decodeRevertReason(output) : undefined
    return (
      pieceText([wire.transaction(index)]).slice(0, -1) +
      (failure === undefined || hasReverted ? `,"output":${jsonBytes(output)}` : '') +
      (reason === undefined ? '' : `,"revertReason":${printJson(reason)}`) +
      '}'
    )
  })
  const middle = `${totalDifficultyMember(block, shape)},"transactions":`
  return new WireBytes([wire.head(), middle, ...transactions.pieces, '}'])
}

/** evm_mine_detailed: like evm_mine, but returns the blocks with their transactions' outputs. */
export const mine_detailed = defineMethod(
  'evm_mine_detailed',
  [optional('timestampOrOrder', mineOrder)],
  async ({ view, backend, context }, order = { blocks: 1 }) => {
    const { totalDifficulty } = backend.settings
    const blocks: MinedBlock[] = []
    await backend.controls.mine({ ...order, signal: context.signal }, (mined) => blocks.push(mined))
    const pieces: WirePiece[] = ['[']
    for (const mined of blocks) {
      if (pieces.length > 1) pieces.push(',')
      pieces.push(...(await detailedBlock(view, mined, { totalDifficulty })).pieces)
    }
    return new WireBytes([...pieces, ']'])
  },
)
