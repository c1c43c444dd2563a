import type { StoredBlock } from '../../chain/block/record.js'
import type { HeaderFields } from '../../chain/types.js'
import type { ChainView } from '../../chain/view.js'
import { WireBytes } from '../wire.js'
import { headerMembers } from './header.js'
import { jsonBytes, jsonQuantity } from './members.js'

/** How blocks are shown. */
export interface BlockShape {
  /** Whether transactions are whole objects; otherwise they are their hashes. */
  fullTransactions: boolean
  /** Whether there is a member `totalDifficulty`. */
  totalDifficulty: boolean
}

/** The object of a stored block. */
export function blockWire(view: ChainView, block: StoredBlock, shape: BlockShape): WireBytes {
  return new WireBytes([
    view.blockHeadWire(block),
    `${totalDifficultyMember(block, shape)},"transactions":[`,
    shape.fullTransactions ? view.transactionsWire(block) : hashesText(block.transactions),
    ']}',
  ])
}

/** The member `totalDifficulty`, if it is wanted. */
export function totalDifficultyMember(
  { totalDifficulty }: Pick<StoredBlock, 'totalDifficulty'>,
  shape: Pick<BlockShape, 'totalDifficulty'>,
): string {
  return shape.totalDifficulty ? `,"totalDifficulty":${jsonQuantity(totalDifficulty)}` : ''
}

/** The hashes of transactions, joined by commas. */
export function hashesText(transactions: readonly { hash: Uint8Array }[]): string {
  return transactions.map(({ hash }) => jsonBytes(hash)).join(',')
}

/** The object of a header: a block without size, transactions, uncles and withdrawals. */
export function headerWire({ hash, header }: Pick<StoredBlock, 'hash' | 'header'>): WireBytes {
  return new WireBytes([`${headerMembers(hash, header)}}`])
}

/** The object of an uncle: a block without transactions. */
export function uncleWire(hash: Uint8Array, header: HeaderFields): WireBytes {
  return new WireBytes([`${headerMembers(hash, header)},"uncles":[]}`])
}
