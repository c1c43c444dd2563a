import { MAX_UINT64 } from '../../encoding/bigints.js'
import { bytesToPlainHex } from '../../encoding/hex.js'
import { type Steps, TimeSlice, runToCompletion, runWithin } from '../../encoding/timeSlice.js'
import type { StoredBlock } from '../block/record.js'
import { TransactionRejectedError } from '../errors.js'
import { type ForkSchedule, MAX_TRANSACTION_GAS } from '../evm/forkSchedule.js'
import type { ForkRules, StateView } from '../types.js'
import { delegationTarget } from '../vm/message.js'
import { GappedBlobs, nextBlobNonce, verifySidecar } from './blobs.js'
import { type TransactionFields, decodeTransaction, fieldsOf } from './decode.js'
import {
  type CompleteMempoolOptions,
  type Entry,
  EntryIndex,
  type MempoolOptions,
  type MempoolSnapshot,
  type PoolQueues,
  type ResetOptions,
  SenderQueue,
  SenderQueues,
  type StayCheck,
  StayChecks,
  defaultMempoolOptions,
  senderAccount,
} from './senderQueue.js'
import {
  type CheckedFields,
  type Origin,
  checkAsAnvil,
  checkAutomine,
  checkReadable,
  checkSubmission,
  costOf,
  type StaticContext,
  validateStateless,
  validateWithState,
} from './validation.js'
import {
  PendingListeners,
  type PooledTransaction,
  checkSignature,
  isBlob,
  recoverTransaction,
  senderOf,
} from './transaction.js'

/*
 * Transactions wait here for a block.
 *
 * A transaction is pending if its nonce is the sender's next one in the state, or follows other pending ones: it can be
 * executed now. After a nonce gap it is queued until the gap is filled. A transaction with the nonce of another
 * replaces it if it pays more: 10% more of both fees, or twice as much for blobs. Whether the fees cover the base fee,
 * and whether the balance still suffices after earlier transactions, is decided when a block is built.
 */

interface Head {
  state: StateView
  block: StoredBlock
  /** Gas limit of the next block. */
  gasLimit: bigint
}

/** The transaction pool. */
export class Mempool {
  readonly #options: CompleteMempoolOptions
  readonly #schedule: ForkSchedule
  readonly #listeners = new PendingListeners()
  /** The latest replacement of a transaction. */
  #replacement: { entry: Entry; replaced: Entry } | undefined
  #queues = new SenderQueues()
  #index = new EntryIndex()
  readonly #gapped = new GappedBlobs()
  #arrivals = 0
  #version = 0
  /** The latest snapshot, if the senders' accounts have not changed since. */
  #latest: { version: number; snapshot: MempoolSnapshot } | undefined
  #head: Head | undefined
  #stayChecks = new StayChecks()

  /** Creates a mempool; call {@link reset} with a head before adding transactions. */
  constructor(schedule: ForkSchedule, options: MempoolOptions = {}) {
    this.#schedule = schedule
    this.#options = { ...defaultMempoolOptions, ...options }
  }

  /** Increases with every change of the content. */
  get version(): number {
    return this.#version
  }

  /** Number of transactions, pending and queued. */
  get size(): number {
    return this.#index.size
  }

  /** Number of blob transactions that wait for an earlier one; not part of the content. */
  get gappedSize(): number {
    return this.#gapped.size
  }

  /** Bytes of all transactions in network form, with their blobs. */
  get bytes(): number {
    return this.#index.bytes
  }

  /** Number of pending transactions. */
  get pendingSize(): number {
    return this.#queues.pendingSize
  }

  /** The options; they may be changed at any time. */
  get options(): CompleteMempoolOptions {
    return this.#options
  }

  /** Subscribes to transactions that become pending. @returns a function that ends the subscription */
  subscribe(listener: (transaction: PooledTransaction) => void): () => void {
    return this.#listeners.subscribe(listener)
  }

  /**
   * Adds a signed transaction in its EIP-2718 encoding.
   *
   * @param origin - what was acknowledged before is not refused because the base fee has risen, because of a nonce gap
   *   that automine would not take, for the number of a sender's transactions, or for what {@link reset} tolerates
   * @throws TransactionRejectedError with geth's message, in the order of geth's checks
   */
  async add(raw: Uint8Array, origin: Origin = 'client'): Promise<PooledTransaction> {
    const rules = this.#rules()
    checkReadable(raw, rules)
    const fields = decodeTransaction(raw)
    checkSubmission(fields, this.#options)
    if (this.#options.anvilBaseFee !== undefined) {
      checkSignature(fields, rules)
      await this.checkFirst(fields, senderOf(fields, rules), origin)
    }
    validateStateless(fields, { ...this.#context(origin), isSigned: true })
    if (this.#options.checksAsHardhat && fields.gasLimit > MAX_TRANSACTION_GAS) {
      await this.checkFirst(fields, senderOf(fields, rules), origin)
    }
    const pooled = recoverTransaction(fields, rules)
    return this.#insert(pooled, fields, origin)
  }

  /**
   * Adds a transaction whose sender is known: signed by the node itself, or from an impersonated account.
   *
   * @throws TransactionRejectedError with geth's message, in the order of geth's checks
   */
  async addKnown(pooled: PooledTransaction, origin: Origin = 'client'): Promise<PooledTransaction> {
    const fields = fieldsOf(pooled.transaction, pooled.sidecar)
    checkSubmission(fields, this.#options)
    await this.checkFirst(fields, pooled.sender, origin)
    validateStateless(fields, { ...this.#context(origin), isSigned: !pooled.impersonated })
    return this.#insert(pooled, fields, origin)
  }

  /**
   * Runs the checks that come before all others in anvil, or before that of the gas cap in hardhat; geth has none like
   * them. The transaction need not be built yet.
   *
   * @param sender - 20 bytes
   * @throws TransactionRejectedError
   */
  async checkFirst(fields: CheckedFields, sender: Uint8Array, origin: Origin = 'client'): Promise<void> {
    const { anvilBaseFee, checksAsHardhat } = this.#options
    const automineBaseFee = origin === 'client' ? this.#options.automineBaseFee() : undefined
    if (checksAsHardhat && automineBaseFee !== undefined && fields.gasLimit > MAX_TRANSACTION_GAS) {
      checkAutomine(fields, await this.#queueOf(sender, bytesToPlainHex(sender)), automineBaseFee)
    }
    if (anvilBaseFee === undefined || origin === 'acknowledged') return
    const queue = await this.#queueOf(sender, bytesToPlainHex(sender))
    checkAsAnvil(fields, queue, {
      rules: this.#rules(),
      blockGasLimit: this.#requireHead().gasLimit,
      baseFee: anvilBaseFee(),
      withoutFunds: this.#options.withoutFunds,
    })
  }

  /** Returns a pooled transaction by its 32-byte hash. */
  get(hash: Uint8Array): PooledTransaction | undefined {
    return this.#index.byHash.get(bytesToPlainHex(hash))
  }

  /** The transactions by the 64 digits of their hash, in no particular order. */
  get byHash(): ReadonlyMap<string, PooledTransaction> {
    return this.#index.byHash
  }

  /** Whether a transaction is in the content or waits for an earlier one, by the 64 digits of its hash. */
  holds(digits: string): boolean {
    return this.#index.byHash.has(digits) || this.#gapped.has(digits)
  }

  /** Lists the transactions by sender, pending and queued. */
  content(): PoolQueues[] {
    return [...this.snapshot().queues.values()]
  }

  /** Lists the transactions of one 20-byte sender. */
  contentFrom(sender: Uint8Array): Pick<PoolQueues, 'pending' | 'queued'> {
    const queue = this.#queues.get(bytesToPlainHex(sender))
    return { pending: queue?.pending ?? [], queued: queue?.queued ?? [] }
  }

  /** Returns the transaction of a 20-byte sender with a nonce, pending or queued. */
  at(sender: Uint8Array, nonce: bigint): PooledTransaction | undefined {
    return this.#queues.get(bytesToPlainHex(sender))?.at(nonce)
  }

  /** Lists all transactions of this moment in order of arrival. */
  async inOrderOfArrival(): Promise<readonly PooledTransaction[]> {
    return runWithin(this.#index.inOrderOfArrival(), new TimeSlice())
  }

  /** Returns the nonce after the last pending transaction of a 20-byte sender; undefined if it has none in the pool. */
  pendingNonce(sender: Uint8Array): bigint | undefined {
    return this.#queues.get(bytesToPlainHex(sender))?.nextNonce
  }

  /** The queues of all senders with transactions. */
  get queues(): Iterable<SenderQueue> {
    return this.#queues.values()
  }

  /** Whether a block with this base fee (wei per gas) would be offered any transaction. */
  hasCandidates(baseFee: bigint): boolean {
    return this.#queues.anyCovers(baseFee)
  }

  /** Removes a transaction; later ones of its sender become queued. */
  drop(hash: Uint8Array): PooledTransaction | undefined {
    const digits = bytesToPlainHex(hash)
    this.#gapped.delete(digits)
    const entry = this.#index.byHash.get(digits)
    if (entry === undefined) return undefined
    this.#queues.get(bytesToPlainHex(entry.sender))?.remove(entry)
    runToCompletion(this.#forget(entry.sender, [entry]))
    return entry
  }

  /** Removes a transaction added just now, and restores the one that it replaced. */
  withdraw(hash: Uint8Array): void {
    const { entry, replaced } = this.#replacement ?? {}
    if (entry === undefined || replaced === undefined || entry !== this.get(hash)) {
      this.drop(hash)
      return
    }
    this.#queues.get(bytesToPlainHex(entry.sender))?.put(replaced)
    this.#index.delete(entry)
    this.#index.add(replaced)
    this.#version++
  }

  /** Removes all transactions of a 20-byte sender. */
  async dropFrom(sender: Uint8Array): Promise<void> {
    if (this.#gapped.size > 0) this.#gapped.deleteFrom(sender)
    const name = bytesToPlainHex(sender)
    const { entries = [] } = this.#queues.get(name) ?? {}
    this.#queues.delete(name)
    await runWithin(this.#forget(sender, entries), new TimeSlice())
  }

  /** Removes all transactions. */
  dropAll(): void {
    this.#queues.clear()
    this.#index = new EntryIndex()
    this.#gapped.clear()
    this.#version++
  }

  /**
   * Follows the chain to a head: removes transactions that are mined, no longer affordable or for another chain id, and
   * makes pending what the new nonces allow. It also removes those above the gas limit. With anvil's checks, these stay,
   * and a new balance counts only from the next block on; blocks skip what they cannot take.
   */
  async reset(state: StateView, block: StoredBlock, options: ResetOptions = {}): Promise<void> {
    const { gasLimit = block.header.gasLimit, changed } = options
    const { withoutFunds, anvilBaseFee } = this.#options
    const isAnvil = anvilBaseFee !== undefined
    const defersFunds = isAnvil && this.#head?.block === block
    this.#head = { state, block, gasLimit }
    const chainId = this.#rules().chainId()
    const terms = { chainId, gasLimit: isAnvil ? undefined : gasLimit, withoutFunds, defersFunds }
    const check = this.#stayChecks.begin(terms, changed, this.#queues)
    const slice = new TimeSlice()
    for (const queue of this.#queues.ofSenders(check.senders)) {
      // The block or change that made the head may have taken long.
      const pause = slice.pause()
      if (pause !== undefined) await pause
      await this.#follow(queue, check, slice)
    }
    check.complete()
    if (this.#gapped.size === 0) return
    for (const [name, sender] of this.#gapped.expire()) {
      await this.#promote(name, await this.#queueOf(sender, name))
    }
  }

  /** Takes a snapshot of the content. Those of the same content are one. */
  snapshot(): MempoolSnapshot {
    if (this.#latest?.version !== this.#version) {
      const queues = new Map([...this.#queues].map(([key, queue]) => [key, queue.copy()]))
      this.#latest = { version: this.#version, snapshot: { queues } }
    }
    return this.#latest.snapshot
  }

  /** Restores a snapshot; drops waiting blob transactions. Call {@link reset} afterwards if the head has changed. */
  async restore(snapshot: MempoolSnapshot): Promise<void> {
    const queues = new SenderQueues()
    const index = new EntryIndex()
    const slice = new TimeSlice()
    for (const [key, queue] of snapshot.queues) {
      queues.set(key, queue.copy())
      for (const entry of queue.entries) {
        index.add(entry)
        const pause = slice.pause()
        if (pause !== undefined) await pause
      }
    }
    this.#queues = queues
    this.#index = index
    this.#stayChecks = new StayChecks()
    this.#gapped.clear()
    this.#version++
  }

  #context(origin: Origin): Omit<StaticContext, 'isSigned'> {
    const mayExceedBlocks = this.#options.anvilBaseFee !== undefined && origin === 'acknowledged'
    const blockGasLimit = mayExceedBlocks ? MAX_UINT64 : this.#requireHead().gasLimit
    return { rules: this.#rules(), blockGasLimit, options: this.#options }
  }

  #checkNew(key: string): void {
    if (this.#index.byHash.has(key)) throw new TransactionRejectedError('already known', { hash: `0x${key}` })
  }

  async #insert(
    pooled: PooledTransaction,
    fields: TransactionFields,
    origin: Origin,
  ): Promise<PooledTransaction> {
    const key = bytesToPlainHex(pooled.hash)
    this.#checkNew(key)
    if (pooled.sidecar !== undefined) await verifySidecar(pooled.sidecar, this.#rules())
    const name = bytesToPlainHex(pooled.sender)
    const impersonated =
      pooled.impersonated || (this.#options.contractSenders && (await this.#isContract(pooled.sender)))
    const queue = await this.#queueOf(pooled.sender, name)
    this.#checkNew(key)
    const { size, chainId } = fields
    const cost = costOf(fields)
    const entry: Entry = { ...pooled, impersonated, arrival: this.#arrivals, cost, size, chainId }
    const { anvilBaseFee, checksAsHardhat } = this.#options
    const hasBlobPool = anvilBaseFee === undefined && !checksAsHardhat
    if (hasBlobPool && isBlob(entry) && this.#gapped.admits(entry, queue)) this.#gapped.add(entry)
    else await this.#place(entry, queue, { name, origin })
    if (isBlob(entry)) await this.#promote(name, queue)
    return entry
  }

  /** Adds to the content the waiting blob transactions whose gap is filled. Those that do not fit are dropped. */
  async #promote(name: string, queue: SenderQueue): Promise<void> {
    for (;;) {
      const entry = this.#gapped.take(queue.sender, nextBlobNonce(queue))
      if (entry === undefined) return
      try {
        await this.#place({ ...entry, arrival: this.#arrivals }, queue, { name, origin: 'client' })
      } catch (error) {
        if (!(error instanceof TransactionRejectedError)) throw error
      }
    }
  }

  async #place(
    entry: Entry,
    queue: SenderQueue,
    { name, origin }: { name: string; origin: Origin },
  ): Promise<void> {
    const replaced = validateWithState(entry, queue, { ...this.#context(origin), origin, index: this.#index })
    this.#arrivals++
    const pendingBefore = queue.nextNonce
    queue.put(entry)
    this.#queues.set(name, queue)
    if (replaced !== undefined) {
      this.#index.delete(replaced)
      this.#replacement = { entry, replaced }
    }
    this.#index.add(entry)
    this.#version++
    if (queue.isPending(entry.transaction.nonce)) {
      this.#listeners.notify(entry)
      await this.#listeners.notifyFrom(pendingBefore, queue, entry)
    }
  }

  /** Returns the queue of a sender. A new queue is stored only once a transaction is in it. */
  async #queueOf(sender: Uint8Array, name: string): Promise<SenderQueue> {
    const known = this.#queues.get(name)
    // The checks need the sum, which takes long after a reorganisation or a filled gap.
    if (known !== undefined) {
      await runWithin(known.sumPendingCost(), new TimeSlice())
      return known
    }
    const account = await this.#requireHead().state.getAccount(sender)
    return this.#queues.get(name) ?? new SenderQueue(sender, senderAccount(account))
  }

  /** Whether an account has code other than a delegation (EIP-7702). */
  async #isContract(address: Uint8Array): Promise<boolean> {
    const code = await this.#requireHead().state.getCode(address)
    return code.length > 0 && delegationTarget(code) === undefined
  }

  async #follow(queue: SenderQueue, { removeFrom }: StayCheck, slice: TimeSlice): Promise<void> {
    const account = senderAccount(await this.#requireHead().state.getAccount(queue.sender))
    const pendingBefore = queue.nextNonce
    this.#latest = undefined
    await runWithin(this.#forget(queue.sender, queue.follow(account)), slice)
    await runWithin(this.#forget(queue.sender, await runWithin(removeFrom(queue), slice)), slice)
    await this.#listeners.notifyFrom(pendingBefore, queue)
  }

  /** Removes a sender's entries that left their queue from the other indexes. */
  *#forget(sender: Uint8Array, entries: readonly Entry[]): Steps<void> {
    if (entries.length === 0) return
    const key = bytesToPlainHex(sender)
    if (this.#queues.get(key)?.entries.length === 0) this.#queues.delete(key)
    this.#version++
    for (const entry of entries) {
      this.#index.delete(entry)
      yield
    }
  }

  #requireHead(): Head {
    if (this.#head === undefined) throw new Error('the mempool was not shown a head yet')
    return this.#head
  }

  /** Returns the fork rules of the next block. */
  #rules(): ForkRules {
    const { number, timestamp } = this.#requireHead().block.header
    return this.#schedule.rulesAt({ number: number + 1n, timestamp: timestamp + 1n })
  }
}
