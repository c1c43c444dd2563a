import type { TypedTransaction } from '@ethereumjs/tx'

const known = new WeakMap<TypedTransaction, Uint8Array>()

/** Takes note of the EIP-2718 form in which a transaction came, without blobs and in memory of its own. */
export function rememberSerialized(transaction: TypedTransaction, bytes: Uint8Array): void {
  known.set(transaction, bytes)
}

/**
 * The EIP-2718 form of a transaction, a blob transaction's without its blobs. ethereumjs encodes it anew each time; a
 * block needs it for its size, its root and its record.
 */
export function serializedTransaction(transaction: TypedTransaction): Uint8Array {
  let bytes = known.get(transaction)
  if (bytes === undefined) {
    bytes = transaction.serialize()
    known.set(transaction, bytes)
  }
  return bytes
}
