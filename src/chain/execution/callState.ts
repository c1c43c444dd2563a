import { ChainError } from '../errors.js'
import { TrieStateView } from '../state/stateView.js'
import { whenReady } from '../state/whenReady.js'
import { WorkingState } from '../state/workingState.js'
import type { Awaitable, StateView } from '../types.js'

/** When a state knows more accounts and slots than this, it is not kept. */
const MOST_KEPT_ENTRIES = 1000

/** States that know what was read through their view and have no changes, until the next call takes them. */
const idleStates = new WeakMap<TrieStateView, WorkingState>()

/**
 * Lends a state over a view to a call, and takes back what the call changed. The next call on the same view mostly asks
 * for the same accounts and slots, and finds them there.
 *
 * Only the views of stored roots always read the same; over any other view a call has a state of its own. A state is not
 * lent again after an unexpected error, nor after any error in the middle of a frame, which leaves checkpoints open.
 *
 * @param use - changes the state within checkpoints that it closes, or by single writes
 */
export function withCallState<T>(base: StateView, use: (state: WorkingState) => Awaitable<T>): Awaitable<T> {
  if (!(base instanceof TrieStateView)) return use(new WorkingState({ base }))
  const state = idleStates.get(base) ?? new WorkingState({ base })
  idleStates.delete(base)
  void state.checkpoint()
  let used: Awaitable<T>
  try {
    used = use(state)
  } catch (error) {
    if (error instanceof ChainError && state.openCheckpoints === 1) keep(base, state)
    throw error
  }
  return whenReady(used, (result) => {
    keep(base, state)
    return result
  })
}

function keep(base: TrieStateView, state: WorkingState): void {
  void state.revert()
  state.forgetNewCodes()
  if (state.known <= MOST_KEPT_ENTRIES) idleStates.set(base, state)
}
