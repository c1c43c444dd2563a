import { bytesToPlainHex } from '../../encoding/hex.js'
import { sortInSteps } from '../../encoding/sorting.js'
import { type Awaitable, type Steps, TimeSlice, runWithin } from '../../encoding/timeSlice.js'
import type { AccountState } from '../types.js'
import { type PooledTransaction, effectiveTip, maxFeePerGas } from './transaction.js'

/** A transaction in the mempool, with what the queue needs to know of it. */
export interface Entry extends PooledTransaction {
  /** Increases with every transaction added. */
  arrival: number
  /** Maximum cost to the sender in wei: gas, value and blobs. */
  cost: bigint
  /** Bytes of its network form, with the sidecar. */
  size: number
  /** Undefined if it is for any chain (before EIP-155). */
  chainId?: bigint | undefined
}

/** The account of a sender in the state of the head. */
export interface SenderAccount {
  /** The next nonce. */
  nonce: bigint
  /** In wei. */
  balance: bigint
}

/** Returns what a queue knows of its sender's account. */
export function senderAccount(account: AccountState | undefined): SenderAccount {
  return { nonce: account?.nonce ?? 0n, balance: account?.balance ?? 0n }
}

/** The transactions of one sender by nonce, at most one per nonce. */
export class SenderQueue {
  /** 20 bytes. */
  readonly sender: Uint8Array
  #account: SenderAccount
  #entries: readonly Entry[] = []
  #pending = 0
  #pendingCost = 0n
  #maximumCost = 0n

  constructor(sender: Uint8Array, account: SenderAccount) {
    this.sender = sender
    this.#account = account
  }

  get account(): SenderAccount {
    return this.#account
  }

  /** The sender's next nonce. */
  get nonce(): bigint {
    return this.#account.nonce
  }

  /** All transactions by ascending nonce. The array is immutable: changes replace it. */
  get entries(): readonly Entry[] {
    return this.#entries
  }

  /** Transactions executable now, in this order. */
  get pending(): readonly Entry[] {
    return this.#entries.slice(0, this.#pending)
  }

  /** Transactions executable now, starting at a nonce. */
  pendingFrom(nonce: bigint): readonly Entry[] {
    return this.#entries.slice(this.#indexOf(nonce), this.#pending)
  }

  /** Number of transactions executable now. */
  get pendingSize(): number {
    return this.#pending
  }

  /** The first executable transaction. */
  get firstPending(): Entry | undefined {
    return this.#pending === 0 ? undefined : this.#entries[0]
  }

  /** Transactions after a nonce gap. */
  get queued(): readonly Entry[] {
    return this.#entries.slice(this.#pending)
  }

  /** The nonce after the last executable transaction. */
  get nextNonce(): bigint {
    return this.nonce + BigInt(this.#pending)
  }

  /** Total cost of the executable transactions, in wei. */
  get pendingCost(): bigint {
    return this.#pendingCost
  }

  /** At least the cost of each transaction, in wei. */
  get maximumCost(): bigint {
    return this.#maximumCost
  }

  at(nonce: bigint): Entry | undefined {
    const entry = this.#entries[this.#indexOf(nonce)]
    return entry?.transaction.nonce === nonce ? entry : undefined
  }

  /** Whether the transaction with this nonce is executable. */
  isPending(nonce: bigint): boolean {
    return nonce >= this.nonce && nonce < this.nextNonce
  }

  /** Inserts a transaction, replacing any with the same nonce. */
  put(entry: Entry): void {
    const index = this.#indexOf(entry.transaction.nonce)
    const replaced = this.at(entry.transaction.nonce)
    this.#entries =
      index === this.#entries.length
        ? [...this.#entries, entry]
        : this.#entries.toSpliced(index, replaced === undefined ? 0 : 1, entry)
    if (replaced !== undefined && index < this.#pending) this.#pendingCost += entry.cost - replaced.cost
    if (entry.cost > this.#maximumCost) this.#maximumCost = entry.cost
    this.#countFurtherPending()
  }

  /** Keeps only the transactions that pass, and returns the others. */
  retain(keep: (entry: Entry) => boolean): Entry[] {
    const dropped = this.#entries.filter((entry) => !keep(entry))
    if (dropped.length > 0) this.#entries = this.#entries.filter(keep)
    this.#maximumCost = this.#entries.reduce((most, { cost }) => (cost > most ? cost : most), 0n)
    this.#countPending()
    return dropped
  }

  /** Follows the sender's account to another head. @returns the transactions with earlier nonces, which it drops */
  follow(account: SenderAccount): readonly Entry[] {
    const previous = this.nonce
    this.#account = account
    if (account.nonce < previous) this.#countPending()
    const passed = this.#entries.slice(0, this.#indexOf(account.nonce))
    for (const { cost } of passed.slice(0, this.#pending)) this.#pendingCost -= cost
    this.#pending = Math.max(this.#pending - passed.length, 0)
    if (passed.length > 0) this.#entries = this.#entries.slice(passed.length)
    this.#countFurtherPending()
    return passed
  }

  /** Returns an independent copy. */
  copy(): SenderQueue {
    const copy = new SenderQueue(this.sender, this.#account)
    copy.#entries = this.#entries
    copy.#pending = this.#pending
    copy.#pendingCost = this.#pendingCost
    copy.#maximumCost = this.#maximumCost
    return copy
  }

  /** Returns the index at which a nonce is, or would be inserted. */
  #indexOf(nonce: bigint): number {
    let low = 0
    let high = this.#entries.length
    const last = this.#entries.at(-1)
    if (last !== undefined && last.transaction.nonce < nonce) return high
    while (low < high) {
      const middle = (low + high) >> 1
      const entry = this.#entries[middle]
      if (entry !== undefined && entry.transaction.nonce < nonce) low = middle + 1
      else high = middle
    }
    return low
  }

  #countPending(): void {
    this.#pending = 0
    this.#pendingCost = 0n
    this.#countFurtherPending()
  }

  /** Counts the executable transactions after those already counted. */
  #countFurtherPending(): void {
    let entry = this.#entries[this.#pending]
    for (let expected = this.nextNonce; entry?.transaction.nonce === expected; expected++) {
      this.#pendingCost += entry.cost
      entry = this.#entries[++this.#pending]
    }
  }
}

/** The queues of all senders with transactions, by the 40 digits of their address. */
export class SenderQueues extends Map<string, SenderQueue> {
  /** Number of transactions executable now. */
  get pendingSize(): number {
    let size = 0
    for (const queue of this.values()) size += queue.pendingSize
    return size
  }

  /** Whether any executable transaction covers a base fee (wei per gas). */
  anyCovers(baseFee: bigint): boolean {
    for (const { firstPending: first } of this.values()) {
      if (first !== undefined && maxFeePerGas(first.transaction) >= baseFee) return true
    }
    return false
  }

  /** Returns the 40 digits of those 20-byte addresses that have a queue. */
  namesOf(addresses: readonly Uint8Array[]): string[] {
    return addresses.map((address) => bytesToPlainHex(address)).filter((name) => this.has(name))
  }

  /** Returns the queues of some senders, or all. */
  *ofSenders(names: Iterable<string> = this.keys()): Iterable<SenderQueue> {
    for (const name of names) {
      const queue = this.get(name)
      if (queue !== undefined) yield queue
    }
  }
}

/** The pooled transactions of one sender: those executable now, and those after a nonce gap. */
export type PoolQueues = Pick<SenderQueue, 'sender' | 'pending' | 'queued'>

/** The transactions of a mempool by hash, and what they amount to. */
export class EntryIndex {
  readonly #byHash = new Map<string, Entry>()
  #bytes = 0

  /** By the 64 digits of their hash. */
  get byHash(): ReadonlyMap<string, Entry> {
    return this.#byHash
  }

  /** Number of transactions. */
  get size(): number {
    return this.#byHash.size
  }

  /** Bytes of all transactions in network form. */
  get bytes(): number {
    return this.#bytes
  }

  /** Lists the transactions of this moment. */
  inOrderOfArrival(): Steps<Entry[]> {
    return sortInSteps([...this.#byHash.values()], (a, b) => a.arrival - b.arrival)
  }

  add(entry: Entry): void {
    this.#byHash.set(bytesToPlainHex(entry.hash), entry)
    this.#bytes += entry.size
  }

  delete(entry: Entry): void {
    if (this.#byHash.delete(bytesToPlainHex(entry.hash))) this.#bytes -= entry.size
  }
}

/** Terms of the block that candidates are offered to. */
export interface CandidateTerms {
  /** Wei per gas; zero before London. */
  baseFee: bigint
  order: CandidateOrder
}

interface Line {
  entries: readonly Entry[]
  position: number
  tip: bigint
  arrival: number
}

/**
 * Offers executable transactions one by one: of each sender the next nonce, and among senders the best.
 *
 * The offer is fixed before the first candidate; the mempool may change afterwards.
 */
export class Candidates {
  readonly #terms: CandidateTerms
  /** Binary heap with the best line at the root. */
  readonly #lines: Line[] = []
  #current: Line | undefined

  private constructor(terms: CandidateTerms) {
    this.#terms = terms
  }

  /** Offers the executable transactions of all queues, of which there may be a hundred thousand. */
  static *of(queues: Iterable<SenderQueue>, terms: CandidateTerms): Steps<Candidates> {
    const candidates = new Candidates(terms)
    for (const { pending } of queues) {
      candidates.#offer(pending, 0)
      yield
    }
    return candidates
  }

  /** Returns the next transaction, or undefined if there is none. */
  next(): PooledTransaction | undefined {
    if (this.#current !== undefined) this.#offer(this.#current.entries, this.#current.position + 1)
    this.#current = this.#popBest()
    return this.#current?.entries[this.#current.position]
  }

  /** Skips the sender of the last transaction, which did not fit or could not be executed. */
  skipSender(): void {
    this.#current = undefined
  }

  #offer(entries: readonly Entry[], position: number): void {
    const entry = entries[position]
    if (entry === undefined) return
    const tip = effectiveTip(entry.transaction, this.#terms.baseFee)
    if (tip === undefined) return
    this.#lines.push({ entries, position, tip, arrival: entry.arrival })
    this.#siftUp(this.#lines.length - 1)
  }

  #isBefore(a: Line, b: Line): boolean {
    if (this.#terms.order === 'fees' && a.tip !== b.tip) return a.tip > b.tip
    return a.arrival < b.arrival
  }

  #siftUp(index: number): void {
    while (index > 0) {
      const above = (index - 1) >> 1
      if (!this.#swapIfBefore(index, above)) return
      index = above
    }
  }

  #popBest(): Line | undefined {
    const best = this.#lines[0]
    const last = this.#lines.pop()
    if (best === undefined || last === undefined || this.#lines.length === 0) return best
    this.#lines[0] = last
    for (let index = 0; ;) {
      const left = 2 * index + 1
      const [leftLine, rightLine] = [this.#lines[left], this.#lines[left + 1]]
      if (leftLine === undefined) return best
      const below = rightLine !== undefined && this.#isBefore(rightLine, leftLine) ? left + 1 : left
      if (!this.#swapIfBefore(below, index)) return best
      index = below
    }
  }

  /** Swaps two lines of the heap if the lower one belongs before the upper one. */
  #swapIfBefore(lower: number, upper: number): boolean {
    const a = this.#lines[lower]
    const b = this.#lines[upper]
    if (a === undefined || b === undefined || !this.#isBefore(a, b)) return false
    this.#lines[lower] = b
    this.#lines[upper] = a
    return true
  }
}

/** The order in which candidates are offered. */
export type CandidateOrder = 'fees' | 'fifo'

/** Options for what a mempool accepts and how it orders transactions. */
export interface MempoolOptions {
  /** By tip to the block producer, or by arrival; the transactions of one sender always follow their nonces. */
  order?: CandidateOrder
  /** Minimum tip above the base fee, in wei per gas. */
  minimumTip?: bigint
  /** Maximum gas fee of a transaction, in wei; 0 means no cap. */
  transactionFeeCap?: bigint
  /** Whether legacy transactions need EIP-155 replay protection. */
  requireReplayProtection?: boolean
  /** Maximum number of transactions. */
  capacity?: number
  /** Maximum bytes of all transactions in network form, with their sidecars. */
  byteCapacity?: number
  /** Whether to accept transactions that the sender cannot pay for; blocks skip them until it can. */
  withoutFunds?: boolean
  /**
   * Returns the base fee (wei per gas) of the next block. If set, transactions are checked like anvil's: in its order,
   * and rejecting any below this base fee. Undefined for geth's checks.
   */
  anvilBaseFee?: (() => bigint) | undefined
  /** Whether a higher fee cap alone replaces a transaction, however small the difference. */
  capReplaces?: boolean
  /** Whether a contract may be the sender, which blocks otherwise reject (EIP-3607); it counts as impersonated. */
  contractSenders?: boolean
  /** Whether creations without data are refused, and the gas limit is checked after nonce and fees, like in hardhat. */
  checksAsHardhat?: boolean
  /**
   * Returns the base fee (wei per gas) of the block that must include a transaction at once. If it returns undefined,
   * transactions may wait for their nonce or for a lower base fee.
   */
  automineBaseFee?: () => bigint | undefined
}

/** The options with all defaults filled in. */
export type CompleteMempoolOptions = Required<Omit<MempoolOptions, 'anvilBaseFee'>> &
  Pick<MempoolOptions, 'anvilBaseFee'>

/** Default options: those of development nodes where geth is stricter. */
export const defaultMempoolOptions: CompleteMempoolOptions = {
  order: 'fees',
  minimumTip: 0n,
  transactionFeeCap: 0n,
  requireReplayProtection: false,
  capacity: 100_000,
  byteCapacity: 256 * 1024 * 1024,
  withoutFunds: false,
  capReplaces: false,
  contractSenders: false,
  checksAsHardhat: false,
  automineBaseFee: () => undefined,
}

/** Options for following the chain to a head. */
export interface ResetOptions {
  /** Gas limit of the next block; by default the head's. */
  gasLimit?: bigint
  /** The 20-byte addresses of all accounts that have changed since the last reset; by default, any may have. */
  changed?: readonly Uint8Array[] | undefined
}

/** Listeners for transactions that become pending. */
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
   * Announces the pending transactions of a queue, starting at a nonce. There are many if they waited for one.
   *
   * @param known - a transaction to leave out
   */
  notifyFrom(nonce: bigint, queue: SenderQueue, known?: PooledTransaction): Awaitable<void> {
    if (this.#listeners.size === 0) return
    return runWithin(this.#notifyEach(nonce, queue, known), new TimeSlice())
  }

  *#notifyEach(nonce: bigint, queue: SenderQueue, known?: PooledTransaction): Steps<void> {
    for (const entry of queue.pendingFrom(nonce)) {
      if (entry === known) continue
      this.notify(entry)
      yield
    }
  }
}
