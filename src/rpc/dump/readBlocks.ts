import type { SealedBlock } from '../../chain/block/record.js'
import type { ChainView } from '../../chain/view.js'
import { bytesToPlainHex } from '../../encoding/hex.js'
import type { TimeSlice } from '../../encoding/timeSlice.js'
import { block, outcome, type DumpedOutcome } from './blockSchema.js'
import { StateDumpError } from './errors.js'
import { outcomeKey, readBlock } from './readBlock.js'
import { readPart } from './readPart.js'
import type { AnvilState } from './schema.js'

async function readOutcomes(state: AnvilState, slice: TimeSlice): Promise<Map<string, DumpedOutcome>> {
  const outcomes = new Map<string, DumpedOutcome>()
  for (const [index, value] of state.transactions.entries()) {
    await slice.pause()
    const dumped = readPart(outcome, value, ['transactions', index])
    outcomes.set(outcomeKey(dumped.block_hash, dumped.info.transaction_index), dumped)
  }
  return outcomes
}

/**
 * The chain of a dump up to its best block, in rising order; none if it tells of no block.
 *
 * @throws StateDumpError if a part of it cannot be read, or the best block is missing
 */
export async function readBlocks(
  state: AnvilState,
  view: ChainView,
  slice: TimeSlice,
): Promise<SealedBlock[]> {
  const reading = { outcomes: await readOutcomes(state, slice), view, slice }
  const byHash = new Map<string, SealedBlock>()
  const blocks: SealedBlock[] = []
  for (const [index, value] of state.blocks.entries()) {
    await slice.pause()
    const sealed = await readBlock(readPart(block, value, ['blocks', index]), reading)
    blocks.push(sealed)
    byHash.set(bytesToPlainHex(sealed.hash), sealed)
  }
  if (state.block === null || state.block === undefined || blocks.length === 0) return []
  const best = state.best_block_number ?? state.block.number
  let next = blocks.find(({ header }) => header.number === best)
  if (next === undefined) throw new StateDumpError(`Best hash not found for best number ${best}`)
  const chain: SealedBlock[] = []
  for (; next !== undefined; next = byHash.get(bytesToPlainHex(next.header.parentHash))) chain.push(next)
  return chain.reverse()
}
