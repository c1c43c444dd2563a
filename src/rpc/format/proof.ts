import { bytesToHex } from '../../encoding/hex.js'
import { bytesToBigint, quantity } from '../../encoding/quantity.js'
import type { AccountProof } from '../backend.js'
import type { JsonValue } from '../json.js'
import type { StorageSlot } from '../params/storageKey.js'

const absentHash = bytesToHex(new Uint8Array(32))

/**
 * The result of eth_getProof. An absent account has zero hashes; a key is echoed as a hash if it was given with 32
 * bytes, and else as a QUANTITY (geth: internal/ethapi/api.go, GetProof).
 */
export function formatProof(
  address: Uint8Array,
  slots: readonly StorageSlot[],
  { account, accountProof, storageProof }: AccountProof,
): JsonValue {
  return {
    address: bytesToHex(address),
    accountProof: accountProof.map(bytesToHex),
    balance: quantity(account?.balance ?? 0n),
    codeHash: account === undefined ? absentHash : bytesToHex(account.codeHash),
    nonce: quantity(account?.nonce ?? 0n),
    storageHash: account === undefined ? absentHash : bytesToHex(account.storageRoot),
    storageProof: slots.map(({ slot, inputLength }, index) => ({
      key: inputLength === 32 ? bytesToHex(slot) : quantity(bytesToBigint(slot)),
      value: quantity(storageProof[index]?.value ?? 0n),
      proof: storageProof[index]?.proof.map(bytesToHex) ?? [],
    })),
  }
}
