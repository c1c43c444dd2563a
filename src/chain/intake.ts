import type { Chain } from './chain.js'
import { TransactionRejectedError } from './errors.js'
import { createTransaction } from './mempool/create.js'
import { decodeTransaction } from './mempool/decode.js'
import type { PooledStore, StoredPooled } from './mempool/pooledStore.js'
import type { PooledTransaction } from './mempool/transaction.js'
import type { MiningSchedule } from './mining/schedule.js'

/** What takes transactions in. */
export interface IntakeParts {
  chain: Chain
  schedule: MiningSchedule
  store: PooledStore
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
      for (const stored of waiting) await this.#restoreOne(stored)
      store.sweep((hash) => chain.mempool.get(hash) !== undefined)
    })
  }

  #take(add: () => Promise<PooledTransaction>, raw?: Uint8Array): Promise<PooledTransaction> {
    const { chain, schedule, store } = this.#parts
    return chain.exclusively(async () => {
      const pooled = await add()
      await schedule.mineReady()
      if (chain.mempool.get(pooled.hash) !== undefined) {
        const { hash, sender, impersonated, transaction } = pooled
        store.put(hash, { sender, impersonated, raw: raw ?? transaction.serialize() })
      }
      return pooled
    })
  }

  async #restoreOne({ raw, sender, impersonated }: StoredPooled): Promise<void> {
    const { chain } = this.#parts
    try {
      if (!impersonated) await chain.mempool.add(raw)
      else {
        const transaction = createTransaction(decodeTransaction(raw), chain.nextRules())
        await chain.mempool.addKnown({ transaction, hash: transaction.hash(), sender, impersonated })
      }
    } catch (error) {
      if (!(error instanceof TransactionRejectedError)) throw error
    }
  }
}
