import type { StoredBlock } from '../../../chain/block/record.js'
import type { ChainView } from '../../../chain/view.js'
import { defineMethod, required } from '../../method.js'
import { hash } from '../../params/bytes.js'
import { index } from '../../params/numbers.js'
import { WireBytes } from '../../wire.js'

/** eth_getTransactionByBlockHashAndIndex: a transaction by the hash of its block and its index there. */
export const getTransactionByBlockHashAndIndex = defineMethod(
  'eth_getTransactionByBlockHashAndIndex',
  [required('hash', hash), required('index', index)],
  ({ view }, blockHash, position) => transactionAt(view, view.blockByHash(blockHash), position),
)

/** The object of a block's transaction at an index; null if there is no such block or index. */
export function transactionAt(
  view: ChainView,
  block: StoredBlock | undefined,
  index: number,
): WireBytes | null {
  if (block === undefined || index >= block.transactions.length) return null
  return new WireBytes([view.wire(block).transaction(index)])
}
