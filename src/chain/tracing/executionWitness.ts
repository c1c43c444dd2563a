import { type Steps, TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import { sortInSteps } from '../../encoding/sorting.js'
import type { StoredBlock } from '../block/record.js'
import { VisitedNodes, WitnessState } from '../state/witnessState.js'
import type { ChainView } from '../view.js'
import { type ReplaySources, type ReplayTarget, parentState, replayBlock } from './replay.js'

/** What the execution of a block needs of the chain before it (geth: core/stateless/witness.go). */
export interface ExecutionWitness {
  /** The parent, and its ancestors back to the oldest whose hash was read; the oldest comes first. */
  headers: readonly Pick<StoredBlock, 'hash' | 'header'>[]
  /** The codes that were run or looked at, once each, in byte order. */
  codes: readonly Uint8Array[]
  /** RLP of the visited nodes of the parent's state and storage tries, once each, in byte order. */
  state: readonly Uint8Array[]
}

/**
 * Executes a block again and collects what that reads. Yields to other work.
 *
 * @throws ChainError if the block has no parent, or the parent's state is unavailable
 */
export async function witnessExecution(
  sources: ReplaySources,
  target: ReplayTarget,
): Promise<ExecutionWitness> {
  const { view, block, requester } = target
  const { states } = sources
  const state = new WitnessState(parentState(sources, target), states)
  let oldest = block.header.number - 1n
  const readsHash = (number: bigint): void => {
    if (number < oldest) oldest = number
  }
  await replayBlock(sources, { ...target, state, readsHash }, async (replay) => {
    for (let index = 0; index < replay.length; index++) await replay.next()
    await replay.finish()
  })
  const slice = new TimeSlice(requester?.signal)
  const nodes = new VisitedNodes(states)
  await runInSlices(state.visitNodes(nodes), slice)
  return {
    headers: headersFrom(view, block.header.parentHash, oldest),
    codes: await runInSlices(inByteOrder(state.codes.values()), slice),
    state: await runInSlices(inByteOrder(nodes.visited), slice),
  }
}

/** Returns the ancestors from a number to the one with a hash. */
function headersFrom(view: ChainView, hash: Uint8Array, oldest: bigint): StoredBlock[] {
  const headers: StoredBlock[] = []
  let block = view.blockByHash(hash)
  while (block !== undefined && block.header.number >= oldest) {
    headers.push(block)
    block = view.blockByHash(block.header.parentHash)
  }
  return headers.reverse()
}

function inByteOrder(items: Iterable<Uint8Array>): Steps<Uint8Array[]> {
  return sortInSteps([...items], (a, b) => Buffer.compare(a, b))
}
