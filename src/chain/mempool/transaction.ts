import type { TypedTransaction } from '@ethereumjs/tx'

/** The blobs of a blob transaction with what proves them; they travel beside the transaction and are in no block. */
export interface BlobSidecar {
  /** 0: a proof a blob (EIP-4844); 1: a proof a cell (EIP-7594). */
  version: 0 | 1
  /** 131,072 bytes each. */
  blobs: readonly Uint8Array[]
  /** 48 bytes each. */
  commitments: readonly Uint8Array[]
  /** 48 bytes each. */
  proofs: readonly Uint8Array[]
}

/** A transaction that may wait in the mempool. */
export interface PooledTransaction {
  transaction: TypedTransaction
  /** 32 bytes. */
  hash: Uint8Array
  /** 20 bytes; recovered from the signature, or the account that is impersonated. */
  sender: Uint8Array
  /** Whether the sender is impersonated, so that the signature proves nothing. */
  impersonated: boolean
  /** Blob transactions only. */
  sidecar?: BlobSidecar
}

/** Wei per gas that a transaction pays at most. */
export function maxFeePerGas(transaction: TypedTransaction): bigint {
  return 'maxFeePerGas' in transaction ? transaction.maxFeePerGas : transaction.gasPrice
}

/** Wei per gas that a transaction offers above the base fee, at most. */
export function maxPriorityFeePerGas(transaction: TypedTransaction): bigint {
  return 'maxPriorityFeePerGas' in transaction ? transaction.maxPriorityFeePerGas : transaction.gasPrice
}

/** Wei per gas that the block's maker gets at a base fee; undefined if the transaction does not reach the base fee. */
export function effectiveTip(transaction: TypedTransaction, baseFee: bigint): bigint | undefined {
  const above = maxFeePerGas(transaction) - baseFee
  if (above < 0n) return undefined
  const tip = maxPriorityFeePerGas(transaction)
  return above < tip ? above : tip
}
