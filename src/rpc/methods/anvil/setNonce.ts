import { RpcError, ServerError } from '../../errors.js'
import { defineMethod, required, type Call } from '../../method.js'
import { address } from '../../params/bytes.js'
import { controlUint64 } from '../../params/numbers.js'
import { latestBlock } from '../findBlock.js'

/** anvil_setNonce: sets the nonce that an account's next transaction must have; in hardhat it cannot decrease. */
export const setNonce = defineMethod(
  'anvil_setNonce',
  [required('address', address), required('nonce', controlUint64)],
  async (call, account, nonce) => {
    const { controls, settings } = call.backend
    if (settings.compatibility.noncesOnlyIncrease) await checkRise(call, account, nonce)
    await controls.setNonce(account, nonce)
    return null
  },
)

/** @throws RpcError with hardhat's message (EDR: edr_provider, error.rs) */
async function checkRise({ view, backend }: Call, account: Uint8Array, nonce: bigint): Promise<void> {
  if (backend.mempool.size > 0) {
    throw new RpcError(-32603, 'Cannot set account nonce when the transaction pool is not empty')
  }
  const { state } = await view.stateAt(latestBlock)
  const { nonce: existing = 0n } = (await state.getAccount(account)) ?? {}
  if (nonce >= existing) return
  throw new ServerError(`New nonce (${nonce}) must not be smaller than the existing nonce (${existing})`)
}
