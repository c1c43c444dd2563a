import { bytesToPlainHex } from '../../encoding/hex.js'
import { sortInSteps } from '../../encoding/sorting.js'
import { type Steps, runToCompletion } from '../../encoding/timeSlice.js'
import type { AccountState } from '../types.js'
import { type PooledTransaction, maxFeePerGas } from './transaction.js'

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

/** Costs subtracted in one step. */
const SUBTRACTED_AT_ONCE = 4096

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
  #entries: Entry[] = []
  /** Whether a copy has the same array. */
  #isShared = false
  #pending = 0
  /** Executable transactions whose costs were added up, and their sum in wei. */
  #summed = 0
  #sum = 0n
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

  /** All transactions by ascending nonce, until the next change. */
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
    return runToCompletion(this.sumPendingCost())
  }

  /** Adds up the costs of the executable transactions that the last sum lacks. @returns {@link pendingCost} */
  *sumPendingCost(): Steps<bigint> {
    while (this.#summed < this.#pending) {
      this.#sum += this.#entries[this.#summed++]!.cost
      yield
    }
    return this.#sum
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
    this.#own().splice(index, replaced === undefined ? 0 : 1, entry)
    if (replaced !== undefined && index < this.#summed) this.#sum += entry.cost - replaced.cost
    if (entry.cost > this.#maximumCost) this.#maximumCost = entry.cost
    this.#countFurtherPending()
  }

  /** Removes a transaction; later ones become queued. */
  remove(entry: Entry): void {
    const index = this.#indexOf(entry.transaction.nonce)
    if (index < this.#pending) this.#keepPending(index)
    this.#own().splice(index, 1)
  }

  /** Keeps only the transactions that pass. @returns the others */
  *retain(keep: (entry: Entry) => boolean): Steps<Entry[]> {
    const kept: Entry[] = []
    const dropped: Entry[] = []
    let maximumCost = 0n
    for (const entry of this.#entries) {
      const list = keep(entry) ? kept : dropped
      list.push(entry)
      if (list === kept && entry.cost > maximumCost) maximumCost = entry.cost
      yield
    }
    this.#replace(kept)
    this.#maximumCost = maximumCost
    this.#keepPending(0)
    this.#countFurtherPending()
    return dropped
  }

  /** Follows the sender's account to another head. @returns the transactions with earlier nonces, which it drops */
  follow(account: SenderAccount): readonly Entry[] {
    if (account.nonce < this.nonce) this.#keepPending(0)
    this.#account = account
    const passed = this.#entries.slice(0, this.#indexOf(account.nonce))
    this.#pending = Math.max(this.#pending - passed.length, 0)
    // Adding up the others again can be interrupted; subtracting many cannot.
    if (passed.length > Math.min(this.#summed, SUBTRACTED_AT_ONCE)) this.#resetSum()
    else {
      for (const { cost } of passed) this.#sum -= cost
      this.#summed -= passed.length
    }
    if (passed.length > 0) this.#replace(this.#entries.slice(passed.length))
    this.#countFurtherPending()
    return passed
  }

  /** Returns an independent copy. */
  copy(): SenderQueue {
    const copy = new SenderQueue(this.sender, this.#account)
    copy.#entries = this.#entries
    copy.#isShared = this.#isShared = true
    copy.#pending = this.#pending
    copy.#summed = this.#summed
    copy.#sum = this.#sum
    copy.#maximumCost = this.#maximumCost
    return copy
  }

  #replace(entries: Entry[]): void {
    this.#entries = entries
    this.#isShared = false
  }

  /** Returns the array for a change. */
  #own(): Entry[] {
    if (this.#isShared) this.#replace(this.#entries.slice())
    return this.#entries
  }

  /** Returns the index at which a nonce is, or would be inserted. */
  #indexOf(nonce: bigint): number {
    const last = this.#entries.at(-1)
    if (last !== undefined && last.transaction.nonce < nonce) return this.#entries.length
    return this.#firstIndex(0, ({ transaction }) => transaction.nonce >= nonce)
  }

  /** Finds by bisection, from an index on, the first transaction that passes; all after it must pass. */
  #firstIndex(start: number, passes: (entry: Entry, index: number) => boolean): number {
    let low = start
    let high = this.#entries.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (passes(this.#entries[middle]!, middle)) high = middle
      else low = middle + 1
    }
    return low
  }

  /** Leaves executable only the first transactions. */
  #keepPending(count: number): void {
    this.#pending = count
    if (this.#summed > count) this.#resetSum()
  }

  #resetSum(): void {
    this.#summed = 0
    this.#sum = 0n
  }

  /** Counts the executable transactions after those already counted, up to the first gap. */
  #countFurtherPending(): void {
    const isGap = (entry: Entry, index: number) => entry.transaction.nonce !== this.nonce + BigInt(index)
    this.#pending = this.#firstIndex(this.#pending, isGap)
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

/** The content of the mempool at one moment. */
export interface MempoolSnapshot {
  readonly queues: ReadonlyMap<string, SenderQueue>
}

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

/** What decides whether transactions stay in the pool at a new head. */
interface StayTerms {
  chainId: bigint
  /** Gas limit of the next block; undefined if larger ones stay. */
  gasLimit: bigint | undefined
  /** Whether they stay although their sender cannot pay for them. */
  withoutFunds: boolean
  /** Whether only the next block asks whether their sender can pay. */
  defersFunds: boolean
}

/** Whether a transaction that its sender's account has not passed stays in the pool at the new head. */
function mayStay({ transaction, cost, chainId }: Entry, account: SenderAccount, terms: StayTerms): boolean {
  if (chainId !== undefined && chainId !== terms.chainId) return false
  if (!terms.withoutFunds && !terms.defersFunds && cost > account.balance) return false
  return terms.gasLimit === undefined || transaction.gasLimit <= terms.gasLimit
}

/** A check of the transactions in the pool at a new head. */
export interface StayCheck {
  /** The senders to look at; undefined for all. */
  senders: Iterable<string> | undefined
  /** Removes what may not stay from a queue that has followed its account. */
  removeFrom: (queue: SenderQueue) => Steps<readonly Entry[]>
  /** Must be called at the end. */
  complete: () => void
}

/** Decides whose transactions must be looked at again at a new head. */
export class StayChecks {
  /** The terms of the last check, if it was completed. */
  #terms: StayTerms | undefined
  /** Senders whom the next block asks whether they can pay; undefined if it asks all. */
  #deferred: Set<string> | undefined

  /** Begins a check of the senders whom the terms or their changed accounts concern. */
  begin(terms: StayTerms, changed: ResetOptions['changed'], queues: SenderQueues): StayCheck {
    const { chainId, gasLimit, withoutFunds, defersFunds } = terms
    const last = this.#terms
    const isSame =
      last?.chainId === chainId && last.gasLimit === gasLimit && last.withoutFunds === withoutFunds
    const deferred = defersFunds ? new Set<string>() : this.#deferred
    // To find many of the senders takes as long as to look at all, and cannot be interrupted.
    const isPartial =
      isSame && deferred !== undefined && changed !== undefined && changed.length * 4 <= queues.size
    const senders = isPartial ? new Set([...queues.namesOf(changed), ...deferred]) : undefined
    this.#terms = undefined
    const removeFrom = function* (queue: SenderQueue): Steps<readonly Entry[]> {
      if (isSame && (withoutFunds || defersFunds || queue.maximumCost <= queue.account.balance)) return []
      return yield* queue.retain((entry) => mayStay(entry, queue.account, terms))
    }
    const complete = (): void => {
      this.#terms = terms
      if (!defersFunds) this.#deferred = new Set()
      else if (senders === undefined) this.#deferred = undefined
      else for (const name of senders) this.#deferred?.add(name)
    }
    return { senders, removeFrom, complete }
  }
}
