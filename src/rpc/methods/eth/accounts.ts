import { bytesToHex } from '../../../encoding/hex.js'
import { defineMethod } from '../../method.js'

/**
 * eth_accounts: the addresses that the node signs for, and behind them those that are impersonated; in hardhat without
 * these.
 */
export const accounts = defineMethod('eth_accounts', [], ({ backend }) => {
  const own = backend.accounts.addresses()
  const { accountsIncludeImpersonated } = backend.settings.compatibility
  return [...own, ...(accountsIncludeImpersonated ? backend.controls.impersonated() : [])].map(bytesToHex)
})
