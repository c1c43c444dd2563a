import type { AccessListResult } from '../../chain/execution/accessList.js'
import type { AccessListEntry } from '../../chain/execution/callObject.js'
import { bytesToHex } from '../../encoding/hex.js'
import { quantity } from '../../encoding/quantity.js'
import { WireBytes, printJson } from '../wire.js'

/** The result of eth_createAccessList (geth: internal/ethapi/api.go, accessListResult). */
export function accessListWire({ accessList, gasUsed, error }: AccessListResult): WireBytes {
  const failure = error === undefined ? '' : `"error":${printJson(error)},`
  return new WireBytes([
    `{"accessList":[${accessList.map(entryText).join(',')}],${failure}"gasUsed":"${quantity(gasUsed)}"}`,
  ])
}

function entryText({ address, storageKeys }: AccessListEntry): string {
  const keys = storageKeys.map((key) => `"${bytesToHex(key)}"`).join(',')
  return `{"address":"${bytesToHex(address)}","storageKeys":[${keys}]}`
}
