import { bytesToHex } from '../../../encoding/hex.js'
import { type Method, defineMethod } from '../../method.js'

/** eth_accounts: returns the node's own accounts, followed by impersonated ones except in hardhat. */
export const accounts = defineMethod('eth_accounts', [], ({ backend }) => {
  const own = backend.keyring.addresses()
  const { accountsIncludeImpersonated } = backend.settings.compatibility
  const others = accountsIncludeImpersonated ? backend.controls.impersonated() : []
  return [...new Set([...own, ...others].map(bytesToHex))]
})

/** eth_requestAccounts: alias of eth_accounts (EIP-1102). */
export const requestAccounts: Method = { ...accounts, name: 'eth_requestAccounts' }
