import type { QuotaClock } from './clock.js'

const secondMilliseconds = 1000
const dayMilliseconds = 86_400_000

/** Credits that may be spent; undefined is no limit. */
export interface CreditLimits {
  perDay: number | undefined
  perSecond: number | undefined
}

/** What one key has spent: in this day of the quota clock, which turns at 00:00 UTC, and in this second. */
export class CreditMeter {
  readonly #clock: QuotaClock
  #day = -1
  #second = -1
  #dayCredits = 0
  #secondCredits = 0
  #secondCalls = 0

  constructor(clock: QuotaClock) {
    this.#clock = clock
  }

  /** Credits spent today. */
  get today(): number {
    this.#turn()
    return this.#dayCredits
  }

  /** Calls in this second. */
  get callsThisSecond(): number {
    this.#turn()
    return this.#secondCalls
  }

  /** Milliseconds until the day turns. */
  get untilTomorrow(): number {
    return dayMilliseconds - (this.#clock.now() % dayMilliseconds)
  }

  /** Whether the day's credits are spent. */
  isDaySpent(limits: CreditLimits): boolean {
    return limits.perDay !== undefined && this.today >= limits.perDay
  }

  /** Whether so many credits more would be too many for this second. */
  exceedsSecond(limits: CreditLimits, credits: number): boolean {
    this.#turn()
    return limits.perSecond !== undefined && this.#secondCredits + credits > limits.perSecond
  }

  /** Counts a call towards this second's throughput, before it runs. */
  begin(credits: number): void {
    this.#turn()
    this.#secondCredits += credits
    this.#secondCalls += 1
  }

  /** Charges the day. */
  charge(credits: number): void {
    this.#turn()
    this.#dayCredits += credits
  }

  /** A clock that is set back turns the page too. */
  #turn(): void {
    const now = this.#clock.now()
    const day = Math.floor(now / dayMilliseconds)
    const second = Math.floor(now / secondMilliseconds)
    if (day !== this.#day) {
      this.#day = day
      this.#dayCredits = 0
    }
    if (second !== this.#second) {
      this.#second = second
      this.#secondCredits = 0
      this.#secondCalls = 0
    }
  }
}
