import { createStateCaches } from '../../src/chain/state/stateCaches.js'
import { StateStore } from '../../src/chain/state/stateStore.js'
import { EMPTY_ROOT } from '../../src/chain/state/trieNode.js'
import { WorkingState } from '../../src/chain/state/workingState.js'
import { keyspaceOf } from '../../src/storage/keyspace.js'
import { MemoryDatabase } from './memoryDatabase.js'

/** An empty state whose roots can be computed, over a store that nothing is written to. */
export function createMemoryState(): WorkingState {
  const store = new StateStore({
    database: new MemoryDatabase(),
    keyspace: keyspaceOf(0),
    caches: createStateCaches(),
  })
  return new WorkingState({ base: store.viewAt(EMPTY_ROOT), store })
}
