import type { PooledTransaction } from './transaction.js'

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
