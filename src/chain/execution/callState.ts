import { ChainError } from '../errors.js'
import { TrieStateView } from '../state/stateView.js'
import { whenReady } from '../state/whenReady.js'
import { WorkingState } from '../state/workingState.js'
import type { Awaitable, StateView } from '../types.js'

/** When a state knows more accounts and slots than this, it is not kept. */
const MOST_KEPT_ENTRIES = 1000

/** A state that knows what was read through its view and has no changes, until the next call takes it. */
interface Idle {
  state: WorkingState | undefined
}

/** A view keeps its place: taking out an entry of a weak map and setting it again is work for V8's runtime. */
const idleStates = new WeakMap<TrieStateView, Idle>()

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
  const idle = idleOf(base)
  const state = idle.state ?? new WorkingState({ base })
  idle.state = undefined
  void state.checkpoint()
  let used: Awaitable<T>
  try {
    used = use(state)
  } catch (error) {
    if (error instanceof ChainError && state.openCheckpoints === 1) keep(idle, state)
    throw error
  }
  return whenReady(used, (result) => {
    keep(idle, state)
    return result
  })
}

function idleOf(view: TrieStateView): Idle {
  let idle = idleStates.get(view)
  if (idle === undefined) {
    idle = { state: undefined }
    idleStates.set(view, idle)
  }
  return idle
}

function keep(idle: Idle, state: WorkingState): void {
  void state.revert()
  state.forgetNewCodes()
  if (state.known <= MOST_KEPT_ENTRIES) idle.state = state
}
