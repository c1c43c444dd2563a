import type { Plan } from '../plans/plan.js'
import type { QuotaClock } from './clock.js'

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
