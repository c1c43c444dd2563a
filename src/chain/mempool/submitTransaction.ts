import { bytesEqual, bytesToPlainHex } from '../../encoding/hex.js'
import { sortInSteps } from '../../encoding/sorting.js'
import { type Awaitable, type Steps, TimeSlice, runInSlices, runWithin } from '../../encoding/timeSlice.js'
import type { SealedTransaction } from '../block/record.js'
import type { Chain } from '../chain.js'
import { ChainStoppedError, TransactionRejectedError } from '../errors.js'
import type { MiningSchedule } from '../mining/schedule.js'
import type { ChainEvent } from '../reader.js'
import type { ForkRules } from '../types.js'
import type { BlobStore } from './blobs.js'
import { decodeTransaction } from './decode.js'
import type { Mempool } from './mempool.js'
import { encodeNetworkForm } from './networkForm.js'
import type { PooledStore, StoredPooled } from './pooledStore.js'
import { type PooledTransaction, checkChainId, createTransaction } from './transaction.js'

/** The parts that {@link TransactionSubmission} works with. */
export interface TransactionSubmissionParts {
  chain: Chain
  schedule: MiningSchedule
  store: PooledStore
  blobs: BlobStore
  /** Receives what fails outside of requests. */
  report: (fault: unknown) => void
}

/** Pieces of work that an event waits for. */
const PIECES_AT_ONCE = 4
/** Transactions compared with the stored ones, and written if need be, in a piece. */
const COMPARED_AT_ONCE = 64

/** An accepted transaction. */
export interface SubmittedTransaction {
  /** 32 bytes. */
  hash: Uint8Array
  /** The executed transaction with its receipt, if automine has mined it. */
  mined: SealedTransaction | undefined
}

/**
 * Takes a transaction from the sender to its receipt, in these steps:
 *
 * 1. `sendRaw` waits for the chain's mutex, so that no other change interleaves.
 * 2. `Mempool.add` decodes the bytes, checks them with geth's messages and recovers the sender.
 * 3. Blobs go to the blob store, since no block contains them.
 * 4. `MiningSchedule.mineReady` mines under automine: `Chain.mineEachReady` drafts a block, `produceBlock` executes and
 *    seals it, and `ChainPosition.advance` commits block, receipts, log index, state and head in one atomic write.
 *    Without automine, a timer or evm_mine does the same later.
 * 5. `Chain` emits the `head` event to subscribers. The answer does not depend on it.
 * 6. If the transaction is still pooled, it is written to disk.
 * 7. The caller gets the hash, and the receipt if there is one.
 */
export class TransactionSubmission {
  readonly #parts: TransactionSubmissionParts
  #isSyncing = false
  /** Whether the mempool has changed since the last sync began, and whether it may hold transactions not stored. */
  #isBehind = false
  #lacksStored = false

  constructor(parts: TransactionSubmissionParts) {
    this.#parts = parts
  }

  /**
   * Submits a signed transaction in its EIP-2718 encoding (eth_sendRawTransaction).
   *
   * @throws TransactionRejectedError if the mempool rejects it
   */
  sendRaw(raw: Uint8Array): Promise<SubmittedTransaction> {
    return this.#submit(() => this.#parts.chain.mempool.add(raw), raw)
  }

  /**
   * Submits a transaction whose sender is known (eth_sendTransaction). `prepare` runs under the mutex, so that the
   * nonce it fills in follows those of earlier transactions.
   *
   * @throws TransactionRejectedError if the mempool rejects it
   */
  sendPrepared(prepare: () => Promise<PooledTransaction>): Promise<SubmittedTransaction> {
    return this.#submit(async () => this.#parts.chain.mempool.addKnown(await prepare()))
  }

  #submit(addToPool: () => Promise<PooledTransaction>, raw?: Uint8Array): Promise<SubmittedTransaction> {
    const { chain, schedule, blobs } = this.#parts
    return chain.exclusively(async () => {
      const pooled = await addToPool()
      const { hash } = pooled
      let mined: SealedTransaction | undefined
      try {
        if (pooled.sidecar !== undefined) blobs.put(pooled.sidecar)
        await schedule.mineReady(({ executed }) => {
          mined ??= executed.transactions.find((transaction) => bytesEqual(transaction.hash, hash))
        })
        if (chain.mempool.holds(bytesToPlainHex(hash))) this.#persist(pooled, raw)
      } catch (error) {
        // The caller is told that the transaction failed, so it must not be mined later.
        chain.mempool.withdraw(hash)
        throw error
      }
      return { hash, mined }
    })
  }

  /** Reloads the pooled transactions after a start. Those that have become invalid since are dropped. */
  async restore(): Promise<void> {
    const { chain, store } = this.#parts
    const stored = await store.load()
    await chain.exclusively(async () => {
      await reinject(chain.mempool, chain.nextRules(), stored)
      await this.removeStale()
    })
  }

  /**
   * Syncs the stored transactions with the mempool after the chain has moved. A new head only removes transactions; a
   * rewind may bring some back. A reorganisation has stored those of the removed blocks, and ends with a new head.
   */
  follow(event: ChainEvent): void {
    const { type } = event
    const { chain, store } = this.#parts
    if (type === 'removed') {
      for (const { transactions } of event.blocks) for (const { hash } of transactions) store.record(hash)
    }
    if (type !== 'head' && type !== 'rewound') return
    if (type === 'rewound') {
      if (store.isCurrent(chain.mempool)) return
      this.#lacksStored = true
    }
    this.#beginSync()
  }

  /** Removes stored transactions that have left the mempool. */
  removeStale(): Awaitable<void> {
    return runWithin(this.#sweep(), new TimeSlice())
  }

  /** Does some of the work at once, and the rest between requests: tens of thousands of transactions may go. */
  #beginSync(): void {
    this.#isBehind = true
    if (this.#isSyncing) return
    const { chain, report } = this.#parts
    const sync = this.#sync()
    for (let piece = 0; piece < PIECES_AT_ONCE; piece++) if (sync.next().done === true) return
    this.#isSyncing = true
    void chain
      .exclusively(() => this.#catchUp(sync))
      .catch((fault: unknown) => {
        if (!(fault instanceof ChainStoppedError)) report(fault)
      })
      .finally(() => (this.#isSyncing = false))
  }

  async #catchUp(begun: Steps<void>): Promise<void> {
    const slice = new TimeSlice()
    await runInSlices(begun, slice)
    while (this.#isBehind) await runInSlices(this.#sync(), slice)
  }

  *#sync(): Steps<void> {
    const { chain, store } = this.#parts
    this.#isBehind = false
    yield* this.#sweep()
    if (!this.#lacksStored) return
    this.#lacksStored = false
    let compared = 0
    for (const [digits, pooled] of chain.mempool.byHash) {
      if (!store.has(digits)) this.#persist(pooled)
      if (++compared % COMPARED_AT_ONCE === 0) yield
    }
  }

  #sweep(): Steps<void> {
    const { chain, store } = this.#parts
    return store.sweep((digits) => chain.mempool.holds(digits))
  }

  #persist(pooled: PooledTransaction, raw?: Uint8Array): void {
    const { hash, sender, impersonated } = pooled
    this.#parts.store.put({ hash, sender, impersonated, raw: raw ?? encodeNetworkForm(pooled) })
  }
}

/** A transaction for the mempool, in its stored form. */
type Reinjected = Omit<StoredPooled, 'order'>

/**
 * Adds previously accepted transactions to the mempool again: after a restart, or after a reorganisation removed their
 * block (geth: core/txpool/legacypool, reinject). Transactions that have become invalid are dropped.
 *
 * The transactions of one sender are added in nonce order, because some would be rejected after a gap.
 */
export async function reinject(
  mempool: Mempool,
  rules: ForkRules,
  transactions: readonly Reinjected[],
): Promise<void> {
  const slice = new TimeSlice()
  for (const stored of await runInSlices(byNonce(transactions), slice)) {
    const pause = slice.pause()
    if (pause !== undefined) await pause
    try {
      await reinjectOne(mempool, rules, stored)
    } catch (error) {
      if (!(error instanceof TransactionRejectedError)) throw error
    }
  }
}

async function reinjectOne(
  mempool: Mempool,
  rules: ForkRules,
  { raw, sender, impersonated }: Reinjected,
): Promise<void> {
  if (!impersonated) await mempool.add(raw, 'acknowledged')
  else {
    const fields = decodeTransaction(raw)
    checkChainId(fields, rules)
    const transaction = createTransaction(fields, rules)
    await mempool.addKnown({ transaction, hash: transaction.hash(), sender, impersonated }, 'acknowledged')
  }
}

/** The transactions of one sender. */
interface SenderTransactions {
  list: { stored: Reinjected; nonce: bigint }[]
  /** Number of those that have been taken. */
  taken: number
}

/** Sorts the transactions of each sender by nonce; senders keep their places in the list. */
function* byNonce(transactions: readonly Reinjected[]): Steps<Reinjected[]> {
  const senders = new Map<string, SenderTransactions>()
  const places: SenderTransactions[] = []
  for (const stored of transactions) {
    const key = bytesToPlainHex(stored.sender)
    const own = senders.get(key) ?? { list: [], taken: 0 }
    senders.set(key, own)
    own.list.push({ stored, nonce: decodeTransaction(stored.raw).nonce })
    places.push(own)
    yield
  }
  for (const own of senders.values()) {
    own.list = yield* sortInSteps(own.list, (a, b) => Number(a.nonce - b.nonce))
    yield
  }
  return places.map((own) => own.list[own.taken++]!.stored)
}
