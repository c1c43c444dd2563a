import type { Plan } from '../plans/plan.js'
import type { QuotaClock } from './clock.js'

const SECOND_MILLISECONDS = 1000
const DAY_MILLISECONDS = 86_400_000

/** Credit limits; undefined means unlimited. */
export interface CreditLimits {
  perDay: number | undefined
  perSecond: number | undefined
}

/**
 * Credits spent by one key in the current day of the quota clock, which starts at 00:00 UTC, and the current second.
 */
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

  /** Calls in the current second. */
  get callsThisSecond(): number {
    this.#turn()
    return this.#secondCalls
  }

  /** Milliseconds until the next day. */
  get untilTomorrow(): number {
    return DAY_MILLISECONDS - (this.#clock.now() % DAY_MILLISECONDS)
  }

  /** Whether the day's credits are spent. */
  isDaySpent(limits: CreditLimits): boolean {
    return limits.perDay !== undefined && this.today >= limits.perDay
  }

  /** Whether this many more credits would exceed the current second's limit. */
  exceedsSecond(limits: CreditLimits, credits: number): boolean {
    this.#turn()
    return limits.perSecond !== undefined && this.#secondCredits + credits > limits.perSecond
  }

  /** Counts a call towards the current second, before it runs. */
  begin(credits: number): void {
    this.#turn()
    this.#secondCredits += credits
    this.#secondCalls += 1
  }

  /** Charges the current day. */
  charge(credits: number): void {
    this.#turn()
    this.#dayCredits += credits
  }

  /** Starts a new day or second when the clock has moved, even backwards. */
  #turn(): void {
    const now = this.#clock.now()
    const day = Math.floor(now / DAY_MILLISECONDS)
    const second = Math.floor(now / SECOND_MILLISECONDS)
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

/** File operations that store content. */
const writes: ReadonlySet<string> = new Set([
  'add',
  'block/put',
  'dag/put',
  'dag/import',
  'pin/add',
  'pin/update',
])

/** Why an operation is refused. */
export type FileRefusal = 'rate' | 'transfer'

/** File transfers of one key: in the current second, in the current month, and in total. */
export class FileMeter {
  readonly #clock: QuotaClock
  #second = -1
  #month = ''
  #writes = 0
  #reads = 0
  #gateway = 0
  #uploaded = 0
  #downloaded = 0
  #stored = 0

  constructor(clock: QuotaClock) {
    this.#clock = clock
  }

  /** Counts an operation, or returns why it is refused. */
  begin(operation: string, plan: Plan['files']): FileRefusal | undefined {
    this.#turn()
    const isWrite = writes.has(operation)
    if (isWrite ? this.#writes >= plan.writesPerSecond : this.#reads >= plan.readsPerSecond) return 'rate'
    const isSpent = isWrite
      ? isReached(plan.upload, this.#uploaded) || isReached(plan.storage, this.#stored)
      : isReached(plan.download, this.#downloaded)
    if (isSpent) return 'transfer'
    if (isWrite) this.#writes += 1
    else this.#reads += 1
    return undefined
  }

  /** Counts a gateway request, or refuses it. */
  beginGateway(perSecond: number): FileRefusal | undefined {
    this.#turn()
    if (this.#gateway >= perSecond) return 'rate'
    this.#gateway += 1
    return undefined
  }

  /** Counts the bytes of a completed operation. */
  end(operation: string, bytes: { uploaded: number; downloaded: number }): void {
    this.#turn()
    if (writes.has(operation)) {
      this.#uploaded += bytes.uploaded
      this.#stored += bytes.uploaded
    } else this.#downloaded += bytes.downloaded
  }

  /** Returns the bytes of the current month, and the total ever stored. */
  totals(): { uploaded: number; downloaded: number; stored: number } {
    this.#turn()
    return { uploaded: this.#uploaded, downloaded: this.#downloaded, stored: this.#stored }
  }

  #turn(): void {
    const now = new Date(this.#clock.now())
    const second = Math.floor(now.getTime() / 1000)
    const month = now.toISOString().slice(0, 7)
    if (second !== this.#second) {
      this.#second = second
      this.#writes = 0
      this.#reads = 0
      this.#gateway = 0
    }
    if (month !== this.#month) {
      this.#month = month
      this.#uploaded = 0
      this.#downloaded = 0
    }
  }
}

function isReached(quota: number | undefined, used: number): boolean {
  return quota !== undefined && used >= quota
}
