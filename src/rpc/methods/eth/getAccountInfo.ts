import { bytesToHex } from '../../../encoding/hex.js'
import { quantity } from '../../../encoding/quantity.js'
import { address } from '../../params/address.js'
import { blockSelector } from '../../params/blockSelector.js'
import { latestBlock } from '../latestBlock.js'
import { defineMethod, optional, required } from '../../method.js'

/** eth_getAccountInfo: balance, nonce and code of an account in one answer (reth and anvil: eth/api.rs). */
export const getAccountInfo = defineMethod(
  'eth_getAccountInfo',
  [required('address', address), optional('block', blockSelector)],
  async ({ view }, of, block = latestBlock) => {
    const { state } = await view.stateAt(block)
    const account = await state.getAccount(of)
    return {
      balance: quantity(account?.balance ?? 0n),
      nonce: quantity(account?.nonce ?? 0n),
      code: bytesToHex(await state.getCode(of)),
    }
  },
)
