import type { TypedTransaction } from '@ethereumjs/tx'

/** A transaction that waits to be mined, with what was found out about it when it came in. */
export interface PooledTransaction {
  transaction: TypedTransaction
  /** 32 bytes. */
  hash: Uint8Array
  /** 20 bytes; recovered from the signature, or the account that is impersonated. */
  sender: Uint8Array
  /** Whether the sender is impersonated, so that the signature proves nothing. */
  impersonated: boolean
  /** Grows with every transaction that comes in: ties are broken by it. */
  arrival: number
}
