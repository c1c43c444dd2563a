import { bytesToHex } from '../../../encoding/hex.js'
import { defineMethod } from '../../method.js'

/** eth_requestAccounts: the addresses that the node signs for (EIP-1102). */
export const requestAccounts = defineMethod('eth_requestAccounts', [], ({ backend }) =>
  backend.keyring.addresses().map(bytesToHex),
)

/**
 * eth_accounts: the addresses that the node signs for, and behind them those that are impersonated; in hardhat without
 * these.
 */
export const accounts = defineMethod('eth_accounts', [], ({ backend }) => {
  const own = backend.keyring.addresses()
  const { accountsIncludeImpersonated } = backend.settings.compatibility
  const others = accountsIncludeImpersonated ? backend.controls.impersonated() : []
  return [...new Set([...own, ...others].map(bytesToHex))]
})
