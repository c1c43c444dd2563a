import type { SenderQueue } from './senderQueue.js'
import type { PooledTransaction } from './transaction.js'

/** Who hears of transactions that become pending. */
export class PendingListeners {
  readonly #listeners = new Set<(transaction: PooledTransaction) => void>()

  /** @returns a function that ends the subscription */
  subscribe(listener: (transaction: PooledTransaction) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  tell(transaction: PooledTransaction): void {
    for (const listener of this.#listeners) listener(transaction)
  }

  /**
   * Tells of the pending transactions of a queue from a nonce on.
   *
   * @param known - is not told of
   */
  tellFrom(nonce: bigint, queue: SenderQueue, known?: PooledTransaction): void {
    if (this.#listeners.size === 0) return
    for (const entry of queue.pending) {
      if (entry !== known && entry.transaction.nonce >= nonce) this.tell(entry)
    }
  }
}
