import { TimeSlice } from '../../encoding/timeSlice.js'
import type { StoredBlock } from './record.js'
import type { BlockStore } from './store.js'

/** What a walk reads from. */
type WalkedBlocks = Pick<BlockStore, 'byOrdinal' | 'isCanonical' | 'nearestWithTransactions'>

/**
 * The canonical blocks between two others, these included, that have transactions. Ordinals rise with the numbers along the
 * canonical chain, so the walk goes from one such block to the next, whatever lies between them. Other work has its turn
 * before each; a block that leaves the chain meanwhile is not met any more.
 */
export async function* walkBlocks(
  blocks: WalkedBlocks,
  { from, to }: { from: StoredBlock; to: StoredBlock },
): AsyncGenerator<StoredBlock, void, undefined> {
  const [first, last] = [from.ordinal, to.ordinal]
  const [side, step] = first > last ? (['below', -1] as const) : (['above', 1] as const)
  const slice = new TimeSlice()
  for (
    let ordinal = blocks.nearestWithTransactions(first, side);
    ordinal !== undefined && step * ordinal <= step * last;
    ordinal = blocks.nearestWithTransactions(ordinal + step, side)
  ) {
    await slice.pause()
    const block = blocks.byOrdinal(ordinal)
    if (block !== undefined && block.transactions.length > 0 && blocks.isCanonical(block)) yield block
  }
}

/** A walk along none. */
export async function* noBlocks(): AsyncGenerator<StoredBlock, void, undefined> {
  // A range that is not stored.
}
