import type { StoredBlock } from '../../../chain/block/record.js'
import type { ChainView } from '../../../chain/view.js'
import { defineMethod, required } from '../../method.js'
import { hash } from '../../params/bytes.js'
import { index } from '../../params/numbers.js'
import { WireBytes } from '../../wire.js'

/** eth_getTransactionByBlockHashAndIndex: returns a transaction by block hash and index. */
export const getTransactionByBlockHashAndIndex = defineMethod(
  'eth_getTransactionByBlockHashAndIndex',
  [required('hash', hash), required('index', index)],
  ({ view }, blockHash, position) => transactionAt(view, view.blockByHash(blockHash), position),
)

/** Returns a block's transaction object by index; null if the block or index does not exist. */
export function transactionAt(
  view: ChainView,
  block: StoredBlock | undefined,
  index: number,
): WireBytes | null {
  if (block === undefined || index >= block.transactions.length) return null
  return new WireBytes([view.wire(block).transaction(index)])
}
