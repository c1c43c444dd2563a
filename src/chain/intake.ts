import type { Chain } from './chain.js'
import type { ChainEvent } from './events.js'
import type { BlobStore } from './mempool/blobStore.js'
import { encodeForPool } from './mempool/encodeForPool.js'
import type { PooledStore } from './mempool/pooledStore.js'
import { readmit } from './mempool/readmit.js'
import type { PooledTransaction } from './mempool/transaction.js'
import type { MiningSchedule } from './mining/schedule.js'

/** What takes transactions in. */
export interface IntakeParts {
  chain: Chain
  schedule: MiningSchedule
  store: PooledStore
  blobs: BlobStore
}

/**
 * The way of a transaction into the chain: the mempool takes or refuses it, automine mines it, and what still waits
 * is on disk before the sender hears of it.
 */
export class TransactionIntake {
  readonly #parts: IntakeParts

  constructor(parts: IntakeParts) {
    this.#parts = parts
  }

  /**
   * Takes a signed transaction in its EIP-2718 form.
   *
   * @throws TransactionRejectedError
   */
  sendRaw(raw: Uint8Array): Promise<PooledTransaction> {
    return this.#take(() => this.#parts.chain.mempool.add(raw), raw)
  }

  /**
   * Takes a transaction whose sender is known without recovering it. It is prepared when its turn has come, so that
   * its nonce follows those before it.
   *
   * @throws TransactionRejectedError
   */
  sendPrepared(prepare: () => Promise<PooledTransaction>): Promise<PooledTransaction> {
    return this.#take(async () => this.#parts.chain.mempool.addKnown(await prepare()))
  }

  /** Takes up what waited when the node went down. What has become unacceptable since is dropped. */
  async restore(): Promise<void> {
    const { chain, store } = this.#parts
    const waiting = await store.load()
    await chain.exclusively(async () => {
      await readmit(chain.mempool, chain.nextRules(), waiting)
      this.forgetGone()
    })
  }

  /**
   * Brings what is on disk in line with the mempool, after the chain has moved.
   *
   * @param event - what happened to the chain; going forward, transactions only leave
   */
  follow(event: ChainEvent): void {
    const { type } = event
    if (type !== 'head' && type !== 'rewound' && type !== 'removed') return
    const { chain, store } = this.#parts
    if (type === 'removed') {
      for (const { transactions } of event.blocks) for (const { hash } of transactions) store.note(hash)
    }
    this.forgetGone()
    if (type === 'head') return
    for (const pooled of chain.mempool.inOrderOfArrival()) if (!store.has(pooled.hash)) this.#keep(pooled)
  }

  /** Takes what does not wait any more off the disk. */
  forgetGone(): void {
    const { chain, store } = this.#parts
    store.sweep((hash) => chain.mempool.get(hash) !== undefined)
  }

  #take(add: () => Promise<PooledTransaction>, raw?: Uint8Array): Promise<PooledTransaction> {
    const { chain, schedule, blobs } = this.#parts
    return chain.exclusively(async () => {
      const pooled = await add()
      try {
        if (pooled.sidecar !== undefined) blobs.put(pooled.sidecar)
        await schedule.mineReady()
        if (chain.mempool.get(pooled.hash) !== undefined) this.#keep(pooled, raw)
      } catch (fault) {
        // Its sender hears that it failed: it must not be mined later.
        chain.mempool.withdraw(pooled.hash)
        throw fault
      }
      return pooled
    })
  }

  #keep(pooled: PooledTransaction, raw?: Uint8Array): void {
    const { hash, sender, impersonated } = pooled
    this.#parts.store.put({ hash, sender, impersonated, raw: raw ?? encodeForPool(pooled) })
  }
}
