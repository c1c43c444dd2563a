import { exportAccounts, importState } from '../../chain/controls/stateDump.js'
import {
  addBalance,
  setBalance,
  setCallResult,
  setCode,
  setNonce,
  setStorage,
} from '../../chain/controls/stateEdits.js'
import { loadPreimages } from '../../chain/state/preimages.js'
import type { StateControls } from '../../rpc/controls.js'
import type { ControlParts } from './parts.js'

/** Edits of the state that the next block is executed on. */
export function createStateControls({ chain, executor }: ControlParts): StateControls {
  return {
    setBalance: (address, balance) => setBalance(chain, address, balance),
    addBalance: (address, wei) => addBalance(chain, address, wei),
    setNonce: (address, nonce) => setNonce(chain, address, nonce),
    setCode: (address, code) => setCode(chain, address, code),
    setStorage: (address, slot, value) => setStorage(chain, address, slot, value),
    knownSlots: async (address) =>
      (await loadPreimages(chain.stores.database, chain.stores.keys)).slotsOf(address),
    exportState: (write) => chain.unchanged(async () => write(await exportAccounts(chain))),
    importState: (state) => importState(chain, state),
    setCallResult: (call, value) => setCallResult({ chain, executor }, call, value),
  }
}
