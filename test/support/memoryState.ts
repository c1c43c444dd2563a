import { createStateCaches } from '../../src/chain/state/account.js'
import { StateStore } from '../../src/chain/state/stateStore.js'
import { EMPTY_TRIE_ROOT } from '../../src/chain/state/nodeRecord.js'
import { WorkingState } from '../../src/chain/state/workingState.js'
import { keyspaceOf } from '../../src/storage/keyspace.js'
import { MemoryDatabase } from './memoryDatabase.js'

/** Creates an empty working state over an empty store; its roots can be computed, but nothing is written. */
export function createMemoryState(): WorkingState {
  const store = new StateStore({
    database: new MemoryDatabase(),
    keyspace: keyspaceOf(0),
    caches: createStateCaches(),
  })
  return new WorkingState({ base: store.viewAt(EMPTY_TRIE_ROOT), store })
}
