import { type PooledTransaction, effectiveTip } from './transaction.js'

/** A transaction in the mempool. */
export interface Entry extends PooledTransaction {
  /** Grows with every transaction that comes in. */
  arrival: number
  /** Wei that the sender needs at most: gas, value and blobs. */
  cost: bigint
}

/** The transactions of one sender in the order of their nonces, each nonce once. */
export class SenderQueue {
  /** 20 bytes. */
  readonly sender: Uint8Array
  /** The nonce that the head's state wants next. */
  nonce: bigint
  /** Wei that the sender has in the head's state. */
  balance: bigint
  #entries: readonly Entry[] = []
  #pending = 0

  constructor(sender: Uint8Array, { nonce, balance }: { nonce: bigint; balance: bigint }) {
    this.sender = sender
    this.nonce = nonce
    this.balance = balance
  }

  /** All transactions, by rising nonce; the array is never changed, a new one takes its place. */
  get entries(): readonly Entry[] {
    return this.#entries
  }

  /** Those that can be executed one after another now. */
  get pending(): readonly Entry[] {
    return this.#entries.slice(0, this.#pending)
  }

  /** The one that can be executed first. */
  get firstPending(): Entry | undefined {
    return this.#pending === 0 ? undefined : this.#entries[0]
  }

  /** Those behind a gap in the nonces. */
  get queued(): readonly Entry[] {
    return this.#entries.slice(this.#pending)
  }

  /** The nonce after the last executable transaction. */
  get nextNonce(): bigint {
    return this.nonce + BigInt(this.#pending)
  }

  /** Wei that the executable transactions need together. */
  get pendingCost(): bigint {
    let cost = 0n
    for (let i = 0; i < this.#pending; i++) cost += this.#entries[i]?.cost ?? 0n
    return cost
  }

  at(nonce: bigint): Entry | undefined {
    const entry = this.#entries[this.#indexOf(nonce)]
    return entry?.transaction.nonce === nonce ? entry : undefined
  }

  /** Whether the transaction with this nonce is executable. */
  isPending(nonce: bigint): boolean {
    return nonce >= this.nonce && nonce < this.nextNonce
  }

  /** Puts a transaction in, in the place of the one with its nonce. */
  put(entry: Entry): void {
    const index = this.#indexOf(entry.transaction.nonce)
    const replaces = this.#entries[index]?.transaction.nonce === entry.transaction.nonce
    this.#entries =
      index === this.#entries.length
        ? [...this.#entries, entry]
        : this.#entries.toSpliced(index, replaces ? 1 : 0, entry)
    this.#countPending()
  }

  /** Keeps only the transactions that pass; the others are given back. */
  filter(keep: (entry: Entry) => boolean): Entry[] {
    const dropped = this.#entries.filter((entry) => !keep(entry))
    if (dropped.length > 0) this.#entries = this.#entries.filter(keep)
    this.#countPending()
    return dropped
  }

  /** A queue of its own with the same content. */
  copy(): SenderQueue {
    const copy = new SenderQueue(this.sender, this)
    copy.#entries = this.#entries
    copy.#pending = this.#pending
    return copy
  }

  /** Where a nonce stands or would stand. */
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
    let expected = this.nonce
    let count = 0
    for (const { transaction } of this.#entries) {
      if (transaction.nonce !== expected) break
      expected++
      count++
    }
    this.#pending = count
  }
}

/** What the block that asks for candidates says of itself. */
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
 * Offers executable transactions one after another: of each sender the next nonce, among the senders the best.
 *
 * What was executable when the offer began is offered; the mempool may change meanwhile.
 */
export class Candidates {
  readonly #terms: CandidateTerms
  /** A binary heap, the best line first. */
  readonly #lines: Line[] = []
  #current: Line | undefined

  constructor(queues: Iterable<SenderQueue>, terms: CandidateTerms) {
    this.#terms = terms
    for (const { pending } of queues) {
      this.#offer(pending, 0)
    }
  }

  /** The next transaction, or undefined if there is none. */
  next(): PooledTransaction | undefined {
    if (this.#current !== undefined) this.#offer(this.#current.entries, this.#current.position + 1)
    this.#current = this.#takeBest()
    return this.#current?.entries[this.#current.position]
  }

  /** Offers no more of the sender whose transaction was offered last: it did not fit, or could not be executed. */
  skipSender(): void {
    this.#current = undefined
  }

  #offer(entries: readonly Entry[], position: number): void {
    const entry = entries[position]
    if (entry === undefined) return
    const tip = effectiveTip(entry.transaction, this.#terms.baseFee)
    if (tip === undefined) return
    this.#lines.push({ entries, position, tip, arrival: entry.arrival })
    this.#rise(this.#lines.length - 1)
  }

  #isBefore(a: Line, b: Line): boolean {
    if (this.#terms.order === 'fees' && a.tip !== b.tip) return a.tip > b.tip
    return a.arrival < b.arrival
  }

  #rise(index: number): void {
    while (index > 0) {
      const above = (index - 1) >> 1
      if (!this.#swapIfBefore(index, above)) return
      index = above
    }
  }

  #takeBest(): Line | undefined {
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

  /** Swaps two lines if the lower one belongs before the upper one. */
  #swapIfBefore(lower: number, upper: number): boolean {
    const a = this.#lines[lower]
    const b = this.#lines[upper]
    if (a === undefined || b === undefined || !this.#isBefore(a, b)) return false
    this.#lines[lower] = b
    this.#lines[upper] = a
    return true
  }
}

/** In which order candidates are offered. */
export type CandidateOrder = 'fees' | 'fifo'

/** What a mempool accepts and how it orders. */
export interface MempoolOptions {
  /** By what the block's maker earns, or by arrival; a sender's own transactions stay in the order of their nonces. */
  order?: CandidateOrder
  /** Wei per gas that a transaction must offer above the base fee. */
  minimumTip?: bigint
  /** Wei of gas that one transaction may pay for at most; 0 is no cap. */
  transactionFeeCap?: bigint
  /** Whether legacy transactions must be signed for one chain (EIP-155). */
  requireReplayProtection?: boolean
  /** How many transactions may wait. */
  capacity?: number
  /** Whether transactions may wait that their sender cannot pay for; blocks pass over them until that has changed. */
  withoutFunds?: boolean
  /**
   * The base fee (wei per gas) of the next block, where transactions are checked as anvil does: in its order, and none
   * that offers less waits for a lower base fee. Undefined for geth's checks.
   */
  anvilBaseFee?: (() => bigint) | undefined
  /** Whether a higher fee cap alone replaces a waiting transaction, by however little. */
  capReplaces?: boolean
  /** Whether the sender may be a contract, which blocks refuse otherwise (EIP-3607); it counts as impersonated. */
  contractSenders?: boolean
  /**
   * The base fee (wei per gas) of the block that has to take a transaction at once; where it gives undefined,
   * transactions may wait for their nonce or for a lower base fee.
   */
  automineBaseFee?: () => bigint | undefined
}

/** Options with nothing left out. */
export type CompleteMempoolOptions = Required<Omit<MempoolOptions, 'anvilBaseFee'>> &
  Pick<MempoolOptions, 'anvilBaseFee'>

/** What holds unless options say otherwise: as development nodes have it, where geth is stricter. */
export const defaultMempoolOptions: CompleteMempoolOptions = {
  order: 'fees',
  minimumTip: 0n,
  transactionFeeCap: 0n,
  requireReplayProtection: false,
  capacity: 100_000,
  withoutFunds: false,
  capReplaces: false,
  contractSenders: false,
  automineBaseFee: () => undefined,
}
