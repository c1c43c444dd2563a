import { bytesEqual } from '../encoding/hex.js'
import type { ChainPosition } from './position.js'
import type { TrieStateView } from './state/stateView.js'
import { WorkingState } from './state/workingState.js'

/** The states that work on a chain's head starts from. */
export class HeadStates {
  readonly #position: Pick<ChainPosition, 'head' | 'parts'>
  #kept: WorkingState | undefined

  constructor(position: Pick<ChainPosition, 'head' | 'parts'>) {
    this.#position = position
  }

  /** What `latest` reads. */
  view(): TrieStateView {
    return this.#position.parts.states.viewAt(this.#position.head.workingRoot)
  }

  /** A state of its own on the head, which has read nothing yet. */
  fresh(): WorkingState {
    return new WorkingState({ base: this.view(), store: this.#position.parts.states })
  }

  /** The state that the last block left, with what it has read; gone once it is taken, until one is kept again. */
  take(): WorkingState {
    const state = this.#kept
    this.#kept = undefined
    const fits = state !== undefined && bytesEqual(state.base.root, this.#position.head.workingRoot)
    return fits ? state : this.fresh()
  }

  /** Keeps the state that a block was executed on, which is the head by now. */
  keep(state: WorkingState): void {
    state.rebase(this.view())
    this.#kept = state
  }

  /** Forgets what was kept: the same root may be another state on another base. */
  forget(): void {
    this.#kept = undefined
  }
}
