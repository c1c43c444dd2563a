import { bytesToHex } from '../../../encoding/hex.js'
import { type Method, defineMethod } from '../../method.js'

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

/** eth_requestAccounts: what eth_accounts answers (EIP-1102). */
export const requestAccounts: Method = { ...accounts, name: 'eth_requestAccounts' }
