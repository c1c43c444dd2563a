import type { StoredBlock } from '../block/record.js'
import { ImportError } from '../errors.js'
import { createCallSite } from '../calls/callSite.js'
import { isAltered } from '../head/head.js'
import type { ChainPosition, HeadStates } from '../head/position.js'
import type { ProducedBlock } from '../mining/producer.js'
import { WorkingState } from '../state/workingState.js'
import type { ChainView } from '../view.js'
import type { BlockParts } from './blockParts.js'
import { executeBlock } from './executeBlock.js'

/** Where the parent of a block of somebody else is found, and its state. */
export interface ParentSources {
  position: Pick<ChainPosition, 'head' | 'parts'>
  states: Pick<HeadStates, 'take'>
  view: ChainView
}

/** A block of somebody else that was executed and checked, and not stored. */
export interface ExecutedImport {
  parent: StoredBlock
  produced: ProducedBlock
  /** The state that it was executed on, with what it changed. */
  state: WorkingState
}

/**
 * Executes a block that was made elsewhere on the state of its parent, and checks it. Where the parent is the head,
 * that is the state that the head left.
 *
 * @throws ImportError if the parent is not stored, or the block does not check.
 */
export async function executeOnParent(
  { position, states, view }: ParentSources,
  block: BlockParts,
): Promise<ExecutedImport> {
  const { blocks, states: store, schedule } = position.parts
  const { head } = position
  const { header } = block
  const parent = blocks.byHash(header.parentHash)
  if (parent === undefined) throw new ImportError(header.number, 'parentHash', 'the parent is not known')
  const onHead = parent.ordinal === head.block.ordinal && !isAltered(head)
  store.requireRoot(parent.header.stateRoot, parent.header)
  const base = store.viewAt(parent.header.stateRoot)
  const state = onHead ? states.take() : new WorkingState({ base, store })
  const { blockHash } = createCallSite(view, { header, rules: schedule.rulesAt(header), state: base })
  const produced = await executeBlock({ block, parent, schedule, blocks: view, state, blockHash })
  return { parent, produced, state }
}
