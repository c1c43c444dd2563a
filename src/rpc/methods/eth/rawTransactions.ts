import type { StoredBlock } from '../../../chain/block/record.js'
import { encodeNetworkForm } from '../../../chain/mempool/networkForm.js'
import { bytesToHex } from '../../../encoding/hex.js'
import { type Call, defineMethod, required } from '../../method.js'
import { blockNumber } from '../../params/blockSelector.js'
import { hash } from '../../params/bytes.js'
import { index } from '../../params/numbers.js'
import { isPending } from '../findBlock.js'

/** eth_getRawTransactionByHash: returns a mined transaction in EIP-2718 form, a pending one in its network form. */
export const getRawTransactionByHash = defineMethod(
  'eth_getRawTransactionByHash',
  [required('hash', hash)],
  rawTransactionByHash,
)

/** eth_getRawTransactionByBlockNumberAndIndex: returns a transaction in EIP-2718 form by block and index. */
export const getRawTransactionByBlockNumberAndIndex = defineMethod(
  'eth_getRawTransactionByBlockNumberAndIndex',
  [required('block', blockNumber), required('index', index)],
  async (call, selector, position) => {
    // A missing safe or finalized block is no error here (geth: internal/ethapi/api.go).
    if (!isPending(selector)) return rawTransactionAt(call, call.view.resolve(selector), position)
    const { block } = await call.view.pendingBlock()
    const sealed = block.transactions[position]
    return sealed === undefined ? noTransaction(call.backend) : bytesToHex(sealed.transaction.serialize())
  },
)

/** eth_getRawTransactionByBlockHashAndIndex: returns a transaction in EIP-2718 form by block and index. */
export const getRawTransactionByBlockHashAndIndex = defineMethod(
  'eth_getRawTransactionByBlockHashAndIndex',
  [required('hash', hash), required('index', index)],
  (call, selector, position) => rawTransactionAt(call, call.view.blockByHash(selector), position),
)

/** Returns a block's transaction in EIP-2718 form; `0x` if the block or index does not exist, null in anvil. */
function rawTransactionAt({ backend }: Call, block: StoredBlock | undefined, index: number): string | null {
  if (block === undefined || index >= block.transactions.length) return noTransaction(backend)
  return bytesToHex(backend.records.rawTransaction(block, index))
}

/**
 * Returns a mined transaction in EIP-2718 form, or a pending one in its network form, which includes blobs; `0x` if it
 * is unknown, null in anvil.
 */
export function rawTransactionByHash(call: Call, hash: Uint8Array): string | null {
  const location = call.view.transactionLocation(hash)
  if (location !== undefined) return rawTransactionAt(call, location.block, location.index)
  const pooled = call.backend.mempool.get(hash)
  if (pooled !== undefined) return bytesToHex(encodeNetworkForm(pooled))
  return noTransaction(call.backend)
}

function noTransaction({ settings }: Call['backend']): string | null {
  return settings.compatibility.missing === 'anvil' ? null : '0x'
}
