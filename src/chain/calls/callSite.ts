import { WorkingState } from '../state/workingState.js'
import type { Awaitable, ForkRules, HeaderFields } from '../types.js'
import type { RulesPlace } from '../evm/forkSchedule.js'
import type { ChainView, StateAt } from '../view.js'

/** Where a call runs: a block, and a state of its own that it may change. */
export interface CallSite {
  header: HeaderFields
  rules: ForkRules
  state: WorkingState
  /** The rules of another block number or time. */
  rulesAt: (place: RulesPlace) => ForkRules
  /** The 32-byte hash of an earlier block, or undefined if there is none. */
  blockHash: (number: bigint) => Awaitable<Uint8Array | undefined>
}

/** The site of one call on a block of a chain. */
export function createCallSite(
  view: Ancestry,
  { header, rules, state }: Pick<StateAt, 'header' | 'rules' | 'state'>,
): CallSite {
  return siteOn(view, { header, rules, state: new WorkingState({ base: state }) })
}

/** The site of a call on a block of a chain, over a state that is there already. */
export function siteOn(
  view: Ancestry,
  { header, rules, state }: Pick<CallSite, 'header' | 'rules' | 'state'>,
): CallSite {
  return {
    header,
    rules,
    state,
    rulesAt: (place) => view.rulesAt(place),
    blockHash: (number) => ancestorHash(view, header, number),
  }
}

/** What ancestors are found by. */
export type Ancestry = Pick<
  ChainView,
  'blockByHash' | 'blockByNumber' | 'isCanonical' | 'earlierHash' | 'rulesAt'
>

/**
 * The hash of an ancestor: along the parents until the chain is canonical, then by number; before the first block of a
 * fork as the remote chain has it.
 */
export function ancestorHash(
  view: Ancestry,
  { number: start, parentHash }: HeaderFields,
  number: bigint,
): Awaitable<Uint8Array | undefined> {
  if (number >= start) return undefined
  if (number === start - 1n) return parentHash
  let block = view.blockByHash(parentHash)
  while (block !== undefined && !view.isCanonical(block) && block.header.number > number) {
    block = view.blockByHash(block.header.parentHash)
  }
  if (block === undefined) return view.earlierHash(number)
  if (block.header.number === number) return block.hash
  return view.blockByNumber(number)?.hash ?? view.earlierHash(number)
}
