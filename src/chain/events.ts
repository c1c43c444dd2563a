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

/** Called with every event; what it throws stops no other listener. */
export type ChainListener = (event: ChainEvent) => void

/** Hands events to listeners in the order in which they subscribed. */
export class ChainEvents {
  readonly #listeners = new Set<ChainListener>()

  /** @returns a function that ends the subscription */
  subscribe(listener: ChainListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** @throws what the first listener that failed has thrown, once all have heard of the event */
  emit(event: ChainEvent): void {
    const failures: unknown[] = []
    for (const listener of this.#listeners) {
      try {
        listener(event)
      } catch (failure) {
        failures.push(failure)
      }
    }
    if (failures.length > 0) throw failures[0]
  }
}
