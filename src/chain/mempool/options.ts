/** In which order candidates are offered. */
export type CandidateOrder = 'fees' | 'fifo'

/** What a mempool accepts and how it orders. */
export interface MempoolOptions {
  /** By what the block's maker earns, or by arrival; a sender's own transactions stay in the order of their nonces. */
  order?: CandidateOrder
  /** Wei per gas that a transaction must offer above the base fee. */
  minimumTip?: bigint
  /** Wei of gas that one transaction may pay for at most; 0 is no cap. */
  transactionFeeCap?: bigint
  /** Whether legacy transactions must be signed for one chain (EIP-155). */
  requireReplayProtection?: boolean
  /** How many transactions may wait. */
  capacity?: number
  /** Whether transactions may wait that their sender cannot pay for; blocks pass over them until that has changed. */
  withoutFunds?: boolean
  /** Wei per gas that transactions have to offer at least; what offers less does not wait for a lower base fee. */
  minimumFeeCap?: () => bigint
  /** Whether a higher fee cap alone replaces a waiting transaction, by however little. */
  capReplaces?: boolean
  /**
   * The base fee (wei per gas) of the block that has to take a transaction at once; where it gives undefined,
   * transactions may wait for their nonce or for a lower base fee.
   */
  automineBaseFee?: () => bigint | undefined
}

/** What holds unless options say otherwise: as development nodes have it, where geth is stricter. */
export const defaultMempoolOptions: Required<MempoolOptions> = {
  order: 'fees',
  minimumTip: 0n,
  transactionFeeCap: 0n,
  requireReplayProtection: false,
  capacity: 100_000,
  withoutFunds: false,
  minimumFeeCap: () => 0n,
  capReplaces: false,
  automineBaseFee: () => undefined,
}
