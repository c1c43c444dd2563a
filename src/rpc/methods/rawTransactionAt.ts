import type { StoredBlock } from '../../chain/block/record.js'
import { bytesToHex } from '../../encoding/hex.js'
import type { Call } from '../method.js'

/** The EIP-2718 form of a block's transaction at an index; `0x` if there is no such block or index, as in geth. */
export function rawTransactionAt({ backend }: Call, block: StoredBlock | undefined, index: number): string {
  if (block === undefined || index >= block.transactions.length) return '0x'
  return bytesToHex(backend.records.rawTransaction(block, index))
}

/** The EIP-2718 form of a transaction, mined or waiting; `0x` if it is unknown, null in anvil. */
export function rawTransactionByHash(call: Call, hash: Uint8Array): string | null {
  const location = call.view.transactionLocation(hash)
  if (location !== undefined) return rawTransactionAt(call, location.block, location.index)
  const pooled = call.backend.pool.get(hash)
  if (pooled !== undefined) return bytesToHex(pooled.transaction.serialize())
  return call.backend.settings.compatibility.nullForUnknownRawTransaction ? null : '0x'
}
