import { bytesKey } from './byteCache.js'
import type { StateCommitment, StateStore } from './stateStore.js'
import { TrieStateView, type StateReader } from './stateView.js'
import type { WorkingStore } from './executionState.js'

/** What a state that is computed and not stored is read from. */
function previewReader(store: StateStore, { roots, codes }: StateCommitment): StateReader {
  return {
    getRoot: (hash) => roots.get(bytesKey(hash))?.record ?? store.getRoot(hash),
    getNode: (number) => store.getNode(number),
    getCode: (hash) => codes.get(bytesKey(hash))?.bytes ?? store.getCode(hash),
    remote: store.remote,
  }
}

/** A state that is computed and not stored, as a view: its own nodes over those that are stored. */
export class StatePreview extends TrieStateView {
  /** What proofs of this state are read from. */
  readonly reader: StateReader

  constructor(store: StateStore, commitment: StateCommitment) {
    const reader = previewReader(store, commitment)
    super(reader, commitment.root)
    this.reader = reader
  }

  /** A store with this state's own nodes and codes over those that are stored. */
  over(store: StateStore): WorkingStore {
    return {
      ...this.reader,
      remote: store.remote,
      hasRoot: (root) => store.hasRoot(root),
      viewAt: (root) => store.viewAt(root),
    }
  }
}
