import type { CandidateOrder } from './options.js'
import type { SenderQueue } from './senderQueue.js'
import type { Entry } from './senderQueue.js'
import { effectiveTip, type PooledTransaction } from './transaction.js'

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
