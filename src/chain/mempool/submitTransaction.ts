import type { Chain } from '../chain.js'
import type { ChainEvent } from '../events.js'
import type { MiningSchedule } from '../mining/schedule.js'
import type { BlobStore } from './blobStore.js'
import { encodeNetworkForm, type PooledStore } from './pooledStore.js'
import { reinject } from './reinject.js'
import type { PooledTransaction } from './transaction.js'

/** What transactions are submitted with. */
export interface TransactionSubmissionParts {
  chain: Chain
  schedule: MiningSchedule
  store: PooledStore
  blobs: BlobStore
}

/**
 * Takes a transaction from the sender to its receipt. The steps are calls, in this order:
 *
 * 1. `sendRaw` waits for the chain's mutex, so that no other change comes in between.
 * 2. `Mempool.add` decodes the bytes, checks them with geth's messages and recovers the sender.
 * 3. Blobs go to the blob store: no block holds them.
 * 4. `MiningSchedule.mineReady` mines under automine: `Chain.mineEachReady` drafts a block, `produceBlock` executes it
 *    in the virtual machine and seals it, and `ChainPosition.advance` commits block, receipts, log index, state and
 *    head in one atomic write. Without automine, a timer or evm_mine does the same later.
 * 5. `Chain` emits the `head` event to subscribers. The answer does not depend on it.
 * 6. A transaction that is still pooled is written to disk. Then the caller gets the hash.
 */
export class TransactionSubmission {
  readonly #parts: TransactionSubmissionParts

  constructor(parts: TransactionSubmissionParts) {
    this.#parts = parts
  }

  /**
   * Submits a signed transaction in its EIP-2718 encoding (eth_sendRawTransaction).
   *
   * @throws TransactionRejectedError if the mempool refuses it
   */
  sendRaw(raw: Uint8Array): Promise<PooledTransaction> {
    return this.#submit(() => this.#parts.chain.mempool.add(raw), raw)
  }

  /**
   * Submits a transaction whose sender is known (eth_sendTransaction). `prepare` runs under the mutex, so that the
   * nonce it fills in follows those of earlier transactions.
   *
   * @throws TransactionRejectedError if the mempool refuses it
   */
  sendPrepared(prepare: () => Promise<PooledTransaction>): Promise<PooledTransaction> {
    return this.#submit(async () => this.#parts.chain.mempool.addKnown(await prepare()))
  }

  #submit(addToPool: () => Promise<PooledTransaction>, raw?: Uint8Array): Promise<PooledTransaction> {
    const { chain, schedule, blobs } = this.#parts
    return chain.exclusively(async () => {
      const pooled = await addToPool()
      try {
        if (pooled.sidecar !== undefined) blobs.put(pooled.sidecar)
        await schedule.mineReady()
        if (chain.mempool.get(pooled.hash) !== undefined) this.#persist(pooled, raw)
      } catch (error) {
        // The caller is told that the transaction failed, so it must not be mined later.
        chain.mempool.withdraw(pooled.hash)
        throw error
      }
      return pooled
    })
  }

  /** Reloads the pooled transactions after a start. Those that have become invalid since are dropped. */
  async restore(): Promise<void> {
    const { chain, store } = this.#parts
    const stored = await store.load()
    await chain.exclusively(async () => {
      await reinject(chain.mempool, chain.nextRules(), stored)
      this.removeStale()
    })
  }

  /**
   * Brings the stored transactions in line with the mempool after the chain has moved. A new head only removes
   * transactions; a reorganisation or a rewind may bring some back.
   */
  follow(event: ChainEvent): void {
    const { type } = event
    if (type !== 'head' && type !== 'rewound' && type !== 'removed') return
    const { chain, store } = this.#parts
    if (type === 'removed') {
      for (const { transactions } of event.blocks) for (const { hash } of transactions) store.record(hash)
    }
    this.removeStale()
    if (type === 'head') return
    for (const pooled of chain.mempool.inOrderOfArrival()) if (!store.has(pooled.hash)) this.#persist(pooled)
  }

  /** Removes stored transactions that have left the mempool. */
  removeStale(): void {
    const { chain, store } = this.#parts
    store.sweep((hash) => chain.mempool.get(hash) !== undefined)
  }

  #persist(pooled: PooledTransaction, raw?: Uint8Array): void {
    const { hash, sender, impersonated } = pooled
    this.#parts.store.put({ hash, sender, impersonated, raw: raw ?? encodeNetworkForm(pooled) })
  }
}
