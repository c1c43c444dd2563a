import type { SealedBlock, StoredBlock } from './block/record.js'
import type { PooledTransaction } from './mempool/transaction.js'

/** Something that happened to a chain, in the order in which it happened. */
export type ChainEvent =
  /** A block became the head, and everything about it is stored; with its execution if that was just now. */
  | { type: 'head'; block: StoredBlock; executed?: SealedBlock }
  /** A reorganisation took blocks off the canonical chain; oldest first. */
  | { type: 'removed'; blocks: readonly StoredBlock[] }
  /** A reorganisation put blocks onto the canonical chain below the new head; oldest first. */
  | { type: 'added'; blocks: readonly StoredBlock[] }
  /** A transaction became executable in the mempool. */
  | { type: 'pending'; transaction: PooledTransaction }
  /** The chain went back to an earlier point without a reorganisation: a revert, a rollback, a reset. */
  | { type: 'rewound'; head: StoredBlock }
  /** A reset put the chain onto another base: no block that was told of before can be read any more. */
  | { type: 'replaced'; head: StoredBlock }

/** Called with every event; what it throws stops neither another listener nor who caused the event. */
export type ChainListener = (event: ChainEvent) => void

/**
 * Hands events to listeners in the order in which they subscribed. What an event tells of is done and stored: who has sent
 * a transaction is not to hear that it failed because somebody could not listen.
 */
export class ChainEvents {
  readonly #listeners = new Set<ChainListener>()
  readonly #report: (fault: unknown) => void

  /** @param report - told of what listeners throw */
  constructor(report: (fault: unknown) => void) {
    this.#report = report
  }

  /** @returns a function that ends the subscription */
  subscribe(listener: ChainListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  emit(event: ChainEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event)
      } catch (fault) {
        this.#report(fault)
      }
    }
  }
}
