import { bytesToPlainHex } from '../../encoding/hex.js'
import type { StoredBlock } from '../block/record.js'
import { TransactionRejectedError } from '../errors.js'
import type { ForkSchedule } from '../evm/forkSchedule.js'
import type { ForkRules, StateView } from '../types.js'
import { delegationTarget } from '../vm/message.js'
import { verifySidecar } from './blobs.js'
import { type TransactionFields, decodeTransaction, fieldsOf } from './decode.js'
import {
  Candidates,
  type CompleteMempoolOptions,
  type Entry,
  type MempoolOptions,
  SenderQueue,
  defaultMempoolOptions,
} from './senderQueue.js'
import {
  type CheckedFields,
  MAX_BLOB_TRANSACTION_SIZE,
  checkAsAnvil,
  checkSize,
  checkSubmission,
  costOf,
  validateStateless,
  validateWithState,
} from './validation.js'
import {
  type PooledTransaction,
  checkSignature,
  maxFeePerGas,
  recoverTransaction,
  senderOf,
} from './transaction.js'

/*
 * Transactions wait here until a block takes them.
 *
 * A transaction is pending if its sender's state wants its nonce next, or wants it after other pending ones: it can be
 * executed now. Behind a gap in the nonces it is queued, until the gap is filled. One with the nonce of another
 * replaces it if it pays more: a tenth more of both fees, twice for blobs. Whether the fees reach the base fee, and
 * whether the funds still do after earlier transactions, is decided when a block is built.
 */

/** Bytes of a transaction without blobs that is read before its size is looked at, as geth does with all. */
const LONGEST_READ = 256 * 1024

/** What the mempool holds at one moment, to go back to. */
export interface MempoolSnapshot {
  readonly queues: ReadonlyMap<string, SenderQueue>
}

interface Head {
  state: StateView
  block: StoredBlock
  /** Of the next block. */
  gasLimit: bigint
}

/** The pooled transactions of one sender. */
export interface PoolQueues {
  /** 20 bytes. */
  sender: Uint8Array
  /** Executable now, one after another. */
  pending: readonly PooledTransaction[]
  /** Behind a gap in the nonces. */
  queued: readonly PooledTransaction[]
}

/** The transactions that wait for a block. */
export class Mempool {
  readonly #options: CompleteMempoolOptions
  readonly #schedule: ForkSchedule
  readonly #listeners = new PendingListeners()
  /** The last one that took another one's place. */
  #replacement: { entry: Entry; replaced: Entry } | undefined
  #queues = new Map<string, SenderQueue>()
  #byHash = new Map<string, Entry>()
  #arrivals = 0
  #version = 0
  #head: Head | undefined

  /** A mempool takes transactions once {@link reset} has shown it a head. */
  constructor(schedule: ForkSchedule, options: MempoolOptions = {}) {
    this.#schedule = schedule
    this.#options = { ...defaultMempoolOptions, ...options }
  }

  /** Grows with every change of what the mempool holds. */
  get version(): number {
    return this.#version
  }

  /** How many transactions wait, pending and queued. */
  get size(): number {
    return this.#byHash.size
  }

  /** What may be changed while the mempool works. */
  get options(): CompleteMempoolOptions {
    return this.#options
  }

  /**
   * Calls a listener with every transaction that becomes pending.
   *
   * @returns a function that ends it
   */
  subscribe(listener: (transaction: PooledTransaction) => void): () => void {
    return this.#listeners.subscribe(listener)
  }

  /**
   * Takes a signed transaction in its EIP-2718 form.
   *
   * @throws TransactionRejectedError in geth's words and order.
   */
  async add(raw: Uint8Array): Promise<PooledTransaction> {
    const rules = this.#rules()
    if (raw.length > (raw[0] === 3 ? MAX_BLOB_TRANSACTION_SIZE : LONGEST_READ)) {
      checkSize(raw[0], raw.length, rules)
    }
    const fields = decodeTransaction(raw)
    checkSubmission(fields, this.#options)
    if (this.#options.anvilBaseFee !== undefined) {
      checkSignature(fields, rules)
      await this.checkFirst(fields, senderOf(fields, rules))
    }
    this.#checkStatic(fields, true)
    const pooled = recoverTransaction(fields, rules)
    return this.#insert(pooled, fields)
  }

  /**
   * Takes a transaction whose sender is known: one that the node signed itself, or one of an impersonated account.
   *
   * @throws TransactionRejectedError in geth's words and order.
   */
  async addKnown(pooled: PooledTransaction): Promise<PooledTransaction> {
    const fields = fieldsOf(pooled.transaction, pooled.sidecar)
    checkSubmission(fields, this.#options)
    await this.checkFirst(fields, pooled.sender)
    this.#checkStatic(fields, !pooled.impersonated)
    return this.#insert(pooled, fields)
  }

  /**
   * Checks a transaction, which need not be made yet, as anvil does before all else; geth has no such checks.
   *
   * @param sender - 20 bytes
   * @throws TransactionRejectedError
   */
  async checkFirst(fields: CheckedFields, sender: Uint8Array): Promise<void> {
    const { anvilBaseFee } = this.#options
    if (anvilBaseFee === undefined) return
    const queue = await this.#queueOf(sender, bytesToPlainHex(sender))
    checkAsAnvil(fields, queue, {
      rules: this.#rules(),
      blockGasLimit: this.#requireHead().gasLimit,
      baseFee: anvilBaseFee(),
      withoutFunds: this.#options.withoutFunds,
    })
  }

  /** A waiting transaction by its 32-byte hash. */
  get(hash: Uint8Array): PooledTransaction | undefined {
    return this.#byHash.get(bytesToPlainHex(hash))
  }

  /** Transactions by sender, those that can be executed and those behind a gap. */
  content(): PoolQueues[] {
    return [...this.#queues.values()].map(({ sender, pending, queued }) => ({ sender, pending, queued }))
  }

  /** The transactions of one 20-byte sender. */
  contentFrom(sender: Uint8Array): Pick<PoolQueues, 'pending' | 'queued'> {
    const queue = this.#queues.get(bytesToPlainHex(sender))
    return { pending: queue?.pending ?? [], queued: queue?.queued ?? [] }
  }

  /** All of them, in the order in which they came. */
  inOrderOfArrival(): readonly PooledTransaction[] {
    return [...this.#byHash.values()].toSorted((a, b) => a.arrival - b.arrival)
  }

  /** The nonce after the last pending transaction of a 20-byte sender; undefined if none of its waits. */
  pendingNonce(sender: Uint8Array): bigint | undefined {
    return this.#queues.get(bytesToPlainHex(sender))?.nextNonce
  }

  /** Offers the pending transactions that reach a base fee (wei per gas) to a block. */
  candidates(baseFee: bigint): Candidates {
    return new Candidates(this.#queues.values(), { baseFee, order: this.#options.order })
  }

  /** Whether a block with this base fee (wei per gas) would be offered anything. */
  hasCandidates(baseFee: bigint): boolean {
    for (const { firstPending: first } of this.#queues.values()) {
      if (first !== undefined && maxFeePerGas(first.transaction) >= baseFee) return true
    }
    return false
  }

  /** Takes a waiting transaction out; those of its sender behind it become queued. */
  drop(hash: Uint8Array): PooledTransaction | undefined {
    const entry = this.#byHash.get(bytesToPlainHex(hash))
    if (entry === undefined) return undefined
    this.#queues.get(bytesToPlainHex(entry.sender))?.filter((other) => other !== entry)
    this.#forget([entry])
    return entry
  }

  /** Takes out a transaction that came just now; one whose place it took waits again. */
  withdraw(hash: Uint8Array): void {
    const { entry, replaced } = this.#replacement ?? {}
    if (entry === undefined || replaced === undefined || entry !== this.get(hash)) {
      this.drop(hash)
      return
    }
    this.#queues.get(bytesToPlainHex(entry.sender))?.put(replaced)
    this.#byHash.delete(bytesToPlainHex(hash))
    this.#byHash.set(bytesToPlainHex(replaced.hash), replaced)
    this.#version++
  }

  /** Takes all transactions of a 20-byte sender out. */
  dropFrom(sender: Uint8Array): void {
    const queue = this.#queues.get(bytesToPlainHex(sender))
    if (queue !== undefined) this.#forget(queue.filter(() => false))
  }

  /** Takes all transactions out. */
  dropAll(): void {
    this.#queues.clear()
    this.#byHash.clear()
    this.#version++
  }

  /**
   * Follows the chain to a head: what was mined or can no longer be paid leaves, what the state's nonces allow becomes
   * pending.
   *
   * @param gasLimit - that of the next block
   */
  async reset(state: StateView, block: StoredBlock, gasLimit = block.header.gasLimit): Promise<void> {
    this.#head = { state, block, gasLimit }
    for (const queue of this.#queues.values()) await this.#follow(queue, this.#head)
  }

  /** What the mempool holds now. */
  snapshot(): MempoolSnapshot {
    return { queues: new Map([...this.#queues].map(([key, queue]) => [key, queue.copy()])) }
  }

  /** Goes back to what the mempool held; {@link reset} has to follow if the head is another one. */
  restore({ queues }: MempoolSnapshot): void {
    this.#queues = new Map([...queues].map(([key, queue]) => [key, queue.copy()]))
    const entries = [...this.#queues.values()].flatMap((queue) => queue.entries)
    this.#byHash = new Map(entries.map((entry) => [bytesToPlainHex(entry.hash), entry]))
    this.#version++
  }

  #checkStatic(fields: TransactionFields, isSigned: boolean): void {
    validateStateless(fields, {
      rules: this.#rules(),
      blockGasLimit: this.#requireHead().gasLimit,
      options: this.#options,
      isSigned,
    })
  }

  #checkNew(key: string): void {
    if (this.#byHash.has(key)) throw new TransactionRejectedError('already known', { hash: `0x${key}` })
  }

  async #insert(pooled: PooledTransaction, fields: TransactionFields): Promise<PooledTransaction> {
    const key = bytesToPlainHex(pooled.hash)
    this.#checkNew(key)
    if (pooled.sidecar !== undefined) await verifySidecar(pooled.sidecar, this.#rules())
    const name = bytesToPlainHex(pooled.sender)
    const { transaction, hash, sender, sidecar } = pooled
    const impersonated =
      pooled.impersonated || (this.#options.contractSenders && (await this.#isContract(sender)))
    const queue = await this.#queueOf(sender, name)
    this.#checkNew(key)
    const cost = costOf(fields)
    const entry: Entry = {
      transaction,
      hash,
      sender,
      impersonated,
      sidecar,
      arrival: this.#arrivals,
      cost,
    }
    const replaced = validateWithState(entry, queue, { options: this.#options, size: this.size })
    this.#arrivals++
    const pendingBefore = queue.nextNonce
    queue.put(entry)
    this.#queues.set(name, queue)
    if (replaced !== undefined) {
      this.#byHash.delete(bytesToPlainHex(replaced.hash))
      this.#replacement = { entry, replaced }
    }
    this.#byHash.set(key, entry)
    this.#version++
    if (queue.isPending(entry.transaction.nonce)) {
      this.#listeners.notify(entry)
      this.#listeners.notifyFrom(pendingBefore, queue, entry)
    }
    return entry
  }

  /** The queue of a sender; a new one is not kept before a transaction is in it. */
  async #queueOf(sender: Uint8Array, name: string): Promise<SenderQueue> {
    const known = this.#queues.get(name)
    if (known !== undefined) return known
    const account = await this.#requireHead().state.getAccount(sender)
    const queue = new SenderQueue(sender, { nonce: account?.nonce ?? 0n, balance: account?.balance ?? 0n })
    return this.#queues.get(name) ?? queue
  }

  /** Whether an account has code of its own, which is no delegation (EIP-7702). */
  async #isContract(address: Uint8Array): Promise<boolean> {
    const code = await this.#requireHead().state.getCode(address)
    return code.length > 0 && delegationTarget(code) === undefined
  }

  async #follow(queue: SenderQueue, { state, gasLimit }: Head): Promise<void> {
    const account = await state.getAccount(queue.sender)
    const pendingBefore = queue.nextNonce
    queue.nonce = account?.nonce ?? 0n
    queue.balance = account?.balance ?? 0n
    const gone = queue.filter(
      ({ transaction, cost }) =>
        transaction.nonce >= queue.nonce &&
        (this.#options.withoutFunds || cost <= queue.balance) &&
        transaction.gasLimit <= gasLimit,
    )
    this.#forget(gone)
    this.#listeners.notifyFrom(pendingBefore, queue)
  }

  /** Removes what left its queue from the other indexes. */
  #forget(entries: readonly Entry[]): void {
    if (entries.length === 0) return
    for (const { hash, sender } of entries) {
      this.#byHash.delete(bytesToPlainHex(hash))
      const key = bytesToPlainHex(sender)
      if (this.#queues.get(key)?.entries.length === 0) this.#queues.delete(key)
    }
    this.#version++
  }

  #requireHead(): Head {
    if (this.#head === undefined) throw new Error('the mempool was not shown a head yet')
    return this.#head
  }

  /** The rules of the next block. */
  #rules(): ForkRules {
    const { number, timestamp } = this.#requireHead().block.header
    return this.#schedule.rulesAt({ number: number + 1n, timestamp: timestamp + 1n })
  }
}

/** Who hears of transactions that become pending. */
export class PendingListeners {
  readonly #listeners = new Set<(transaction: PooledTransaction) => void>()

  /** @returns a function that ends the subscription */
  subscribe(listener: (transaction: PooledTransaction) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  notify(transaction: PooledTransaction): void {
    for (const listener of this.#listeners) listener(transaction)
  }

  /**
   * Tells of the pending transactions of a queue from a nonce on.
   *
   * @param known - is not told of
   */
  notifyFrom(nonce: bigint, queue: SenderQueue, known?: PooledTransaction): void {
    if (this.#listeners.size === 0) return
    for (const entry of queue.pending) {
      if (entry !== known && entry.transaction.nonce >= nonce) this.notify(entry)
    }
  }
}
