import type { StoredBlock } from '../../chain/block/record.js'
import type { ChainView } from '../../chain/view.js'
import { totalDifficultyMember } from '../format/block.js'
import type { WirePiece } from '../wire.js'

/** A block's object as Otterscan wants it, without its transactions, with their number, and without its closing brace. */
export function blockObject(view: ChainView, block: StoredBlock): WirePiece[] {
  const difficulty = totalDifficultyMember(block, { totalDifficulty: true })
  return [view.blockHeadWire(block), `${difficulty},"transactionCount":${block.transactions.length}`]
}
