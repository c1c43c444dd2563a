import { bytesToHex } from '../../../encoding/hex.js'
import type { Backend } from '../../backend.js'
import { writtenList } from '../../format/pieces.js'
import { type Method, defineMethod } from '../../method.js'

/** eth_accounts: returns the node's own accounts, followed by impersonated ones except in hardhat. */
export const accounts = defineMethod('eth_accounts', [], ({ backend }) =>
  writtenList(addresses(backend), bytesToHex),
)

function* addresses({ keyring, controls, settings }: Backend): Iterable<Uint8Array> {
  yield* keyring.addresses()
  if (!settings.compatibility.accountsIncludeImpersonated) return
  for (const address of controls.impersonated()) if (!keyring.has(address)) yield address
}

/** eth_requestAccounts: alias of eth_accounts (EIP-1102). */
export const requestAccounts: Method = { ...accounts, name: 'eth_requestAccounts' }
