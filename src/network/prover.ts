import { proveAccount } from '../chain/state/proof.js'
import { StatePreview } from '../chain/state/preview.js'
import type { StateStore } from '../chain/state/stateStore.js'
import { bytesToBigint } from '../encoding/quantity.js'
import type { Prover } from '../rpc/backend.js'

/** Proves from the tries of a store; the pending state brings its own nodes. */
export function createProver(store: StateStore): Prover {
  return {
    prove(state, address, slots) {
      const reader = state instanceof StatePreview ? state.reader : store
      const { exists, account, accountProof, storageProof } = proveAccount(reader, state.root, address, slots)
      return {
        ...(exists && { account }),
        accountProof,
        storageProof: storageProof.map(({ value, proof }) => ({ value: bytesToBigint(value), proof })),
      }
    },
  }
}
