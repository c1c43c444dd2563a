import type { StoredBlock } from '../../../chain/block/record.js'
import { bytesToHex } from '../../../encoding/hex.js'
import { type Call, defineMethod, required } from '../../method.js'
import { blockNumber } from '../../params/blockSelector.js'
import { hash } from '../../params/bytes.js'
import { index } from '../../params/numbers.js'
import { findBlock } from '../findBlock.js'

/** eth_getRawTransactionByHash: the EIP-2718 form of a transaction, mined or waiting. */
export const getRawTransactionByHash = defineMethod(
  'eth_getRawTransactionByHash',
  [required('hash', hash)],
  rawTransactionByHash,
)

/** eth_getRawTransactionByBlockNumberAndIndex: the EIP-2718 form of a transaction by its block and its index there. */
export const getRawTransactionByBlockNumberAndIndex = defineMethod(
  'eth_getRawTransactionByBlockNumberAndIndex',
  [required('block', blockNumber), required('index', index)],
  (call, selector, position) => rawTransactionAt(call, findBlock(call.view, selector), position),
)

/** eth_getRawTransactionByBlockHashAndIndex: the EIP-2718 form of a transaction by its block and its index there. */
export const getRawTransactionByBlockHashAndIndex = defineMethod(
  'eth_getRawTransactionByBlockHashAndIndex',
  [required('hash', hash), required('index', index)],
  (call, selector, position) => rawTransactionAt(call, call.view.blockByHash(selector), position),
)

/** The EIP-2718 form of a block's transaction at an index; `0x` if there is no such block or index, null in anvil. */
export function rawTransactionAt(
  { backend }: Call,
  block: StoredBlock | undefined,
  index: number,
): string | null {
  if (block === undefined || index >= block.transactions.length) return noTransaction(backend)
  return bytesToHex(backend.records.rawTransaction(block, index))
}

/** The EIP-2718 form of a transaction, mined or waiting; `0x` if it is unknown, null in anvil. */
export function rawTransactionByHash(call: Call, hash: Uint8Array): string | null {
  const location = call.view.transactionLocation(hash)
  if (location !== undefined) return rawTransactionAt(call, location.block, location.index)
  const pooled = call.backend.mempool.get(hash)
  if (pooled !== undefined) return bytesToHex(pooled.transaction.serialize())
  return noTransaction(call.backend)
}

function noTransaction({ settings }: Call['backend']): string | null {
  return settings.compatibility.missing === 'anvil' ? null : '0x'
}
