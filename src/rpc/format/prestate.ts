import type { PrestateAccount } from '../../chain/tracing/prestateAccount.js'
import type { PrestateAccounts } from '../../chain/tracing/prestateTracer.js'
import { jsonBytes, jsonQuantity } from './members.js'

/** Accounts by address, sorted; an account has no members that are empty (geth: native/prestate.go, account). */
export function prestateText(accounts: PrestateAccounts): string {
  const members = [...accounts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([address, account]) => `"0x${address}":${accountText(account)}`)
  return `{${members.join(',')}}`
}

function accountText({ balance, nonce, code, codeHash, storage }: PrestateAccount): string {
  const members: string[] = []
  if (balance !== undefined) members.push(`"balance":${jsonQuantity(balance)}`)
  if (code.length > 0) members.push(`"code":${jsonBytes(code)}`)
  if (codeHash !== undefined) members.push(`"codeHash":${jsonBytes(codeHash)}`)
  if (nonce !== undefined && nonce > 0n) members.push(`"nonce":${nonce}`)
  if (storage.size > 0) {
    const slots = [...storage].sort(([a], [b]) => (a < b ? -1 : 1))
    members.push(`"storage":{${slots.map(([slot, value]) => `"0x${slot}":"0x${value}"`).join(',')}}`)
  }
  return `{${members.join(',')}}`
}
