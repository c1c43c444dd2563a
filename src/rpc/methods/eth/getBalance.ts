import { quantity } from '../../../encoding/hex.js'
import { address } from '../../params/bytes.js'
import { blockSelector } from '../../params/blockSelector.js'
import { latestBlock } from '../findBlock.js'
import { defineMethod, optional, required } from '../../method.js'

/** eth_getBalance: returns an account's balance in wei. */
export const getBalance = defineMethod(
  'eth_getBalance',
  [required('address', address), optional('block', blockSelector)],
  async ({ view }, account, block = latestBlock) => {
    const { state } = await view.stateAt(block)
    return quantity((await state.getAccount(account))?.balance ?? 0n)
  },
)
