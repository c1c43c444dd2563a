import { bytesToHex } from '../../../encoding/hex.js'
import { defineMethod } from '../../method.js'

/**
 * eth_accounts: the addresses that the node signs for, and behind them those that are impersonated; in hardhat without
 * these.
 */
export const accounts = defineMethod('eth_accounts', [], ({ backend }) => {
  const own = backend.accounts.addresses()
  const { listsImpersonated } = backend.settings.habits
  return [...own, ...(listsImpersonated ? backend.controls.impersonated() : [])].map(bytesToHex)
})
