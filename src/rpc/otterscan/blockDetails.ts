import type { StoredBlock } from '../../chain/block/record.js'
import type { ChainView } from '../../chain/view.js'
import type { JsonValue } from '../json.js'
import { otterscanBlock, receiptsOf, totalFees } from './blockMembers.js'

/** A block without its transactions, what its making was rewarded with, and what its transactions paid. */
export function blockDetails(view: ChainView, block: StoredBlock): JsonValue {
  return {
    block: otterscanBlock(view, block),
    issuance: { blockReward: '0x0', uncleReward: '0x0', issuance: '0x0' },
    totalFees: totalFees(receiptsOf(view, block)),
  }
}
