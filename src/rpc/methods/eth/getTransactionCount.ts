import { quantity } from '../../../encoding/hex.js'
import { defineMethod, optional, required } from '../../method.js'
import { blockSelector } from '../../params/blockSelector.js'
import { address } from '../../params/bytes.js'
import { isPending, latestBlock } from '../findBlock.js'

/** eth_getTransactionCount: returns an account's nonce; for the pending block it includes the mempool. */
export const getTransactionCount = defineMethod(
  'eth_getTransactionCount',
  [required('address', address), optional('block', blockSelector)],
  async ({ view, backend }, account, block = latestBlock) => {
    const { pendingNonceFollowsBlock } = backend.settings.compatibility
    if (isPending(block) && !pendingNonceFollowsBlock)
      return quantity(await backend.wallet.nextNonce(account))
    const { state } = await view.stateAt(block)
    return quantity((await state.getAccount(account))?.nonce ?? 0n)
  },
)
