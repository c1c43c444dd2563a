import type { Plan } from '../plans/plan.js'
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

/** Operations of the file network that put something into it. */
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

/** What one key has moved through the file network: in this second, in this month, in all. */
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

  /** Counts an operation, or says why it may not be. */
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

  /** Counts a request to the gateway, or refuses it. */
  beginGateway(perSecond: number): FileRefusal | undefined {
    this.#turn()
    if (this.#gateway >= perSecond) return 'rate'
    this.#gateway += 1
    return undefined
  }

  /** Counts the bytes of an operation that has ended. */
  end(operation: string, bytes: { uploaded: number; downloaded: number }): void {
    this.#turn()
    if (writes.has(operation)) {
      this.#uploaded += bytes.uploaded
      this.#stored += bytes.uploaded
    } else this.#downloaded += bytes.downloaded
  }

  /** Bytes of this month, and those ever stored. */
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
