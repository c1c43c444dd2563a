/** Where what is traced stands; a call stands nowhere. */
export interface TracePlace {
  /** 32 bytes. */
  blockHash?: Uint8Array
  blockNumber: bigint
  /** 32 bytes. */
  transactionHash?: Uint8Array
  transactionIndex: number
}

/** The place of a call that is no transaction. */
export const noPlace: TracePlace = { blockNumber: 0n, transactionIndex: 0 }
