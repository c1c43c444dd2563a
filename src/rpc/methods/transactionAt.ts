import type { StoredBlock } from '../../chain/block/record.js'
import type { ChainView } from '../../chain/view.js'
import { WireBytes } from '../wire.js'

/** The object of a block's transaction at an index; null if there is no such block or index. */
export function transactionAt(
  view: ChainView,
  block: StoredBlock | undefined,
  index: number,
): WireBytes | null {
  if (block === undefined || index >= block.transactions.length) return null
  return new WireBytes([view.transactionWire(block, index)])
}
