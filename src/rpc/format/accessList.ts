import { bytesToHex } from '../../encoding/hex.js'
import { quantity } from '../../encoding/quantity.js'
import type { AccessListResult } from '../../chain/execution/accessList.js'
import type { JsonValue } from '../json.js'

/** The result of eth_createAccessList (geth: internal/ethapi/api.go, accessListResult). */
export function formatAccessList({ accessList, gasUsed, error }: AccessListResult): JsonValue {
  return {
    accessList: accessList.map((entry) => ({
      address: bytesToHex(entry.address),
      storageKeys: entry.storageKeys.map(bytesToHex),
    })),
    error,
    gasUsed: quantity(gasUsed),
  }
}
