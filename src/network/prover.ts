import type { ChainStores } from '../chain/base.js'
import { proveAccount } from '../chain/state/proof.js'
import { StatePreview } from '../chain/state/preview.js'
import { runInSlices, TimeSlice } from '../encoding/timeSlice.js'
import { bytesToBigint } from '../encoding/quantity.js'
import type { Prover } from '../rpc/backend.js'

/** Proves from the tries of a store; the pending state brings its own nodes. */
export function createProver(stores: Pick<ChainStores, 'states'>): Prover {
  return {
    async prove(state, address, slots) {
      const reader = state instanceof StatePreview ? state.reader : stores.states
      const proving = proveAccount(reader, state.root, address, slots)
      const { exists, account, accountProof, storageProof } = await runInSlices(proving, new TimeSlice())
      return {
        ...(exists && { account }),
        accountProof,
        storageProof: storageProof.map(({ value, proof }) => ({ value: bytesToBigint(value), proof })),
      }
    },
  }
}
