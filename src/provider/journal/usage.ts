import type { Plan } from '../plans/plan.js'
import type { JournalEntry } from './journal.js'

/** Totals of one method. */
export interface MethodTally {
  calls: number
  failed: number
  credits: number
  milliseconds: number
  bytes: number
}

/** Totals of a run, and how close it came to limits. */
export interface UsageReport {
  requests: number
  failed: number
  /** Cost of the run if it had been charged. */
  credits: number
  byMethod: Record<string, MethodTally>
  byKey: Record<string, { requests: number; credits: number }>
  peaks: UsagePeaks
  /** Share of each plan's quotas that this run would have used; 1 is all. */
  plans: Record<string, { day: number; second: number }>
}

/** Peak values of what is limited. */
export interface UsagePeaks {
  creditsInOneSecond: number
  /** Items of the largest batch. */
  batch: number
  /** Bytes of the largest eth_getLogs answer. */
  logBytes: number
  /** eth_getLogs queries refused with -32005. */
  logRefusals: number
}

/** Maximum number of names counted separately; the rest are counted together, because callers choose the names. */
const MAX_NAMES = 1000
/** Maximum characters of such a name; those of methods and operations are shorter. */
const MAX_NAME_LENGTH = 128
const others = '(others)'

/** Accumulates the usage of a run. */
export class Usage {
  readonly #methods = new Map<string, MethodTally>()
  readonly #keys = new Map<string, { requests: number; credits: number }>()
  #peaks: UsagePeaks = noPeaks()
  #second = -1
  #secondCredits = 0

  /** Counts one request. */
  add(entry: Omit<JournalEntry, 'id'>): void {
    const method = nameIn(this.#methods, entry.method ?? '(none)')
    let tally = this.#methods.get(method)
    if (tally === undefined) {
      tally = { calls: 0, failed: 0, credits: 0, milliseconds: 0, bytes: 0 }
      this.#methods.set(method, tally)
    }
    tally.calls += 1
    tally.credits += entry.credits
    tally.milliseconds += entry.milliseconds
    tally.bytes += entry.bytes
    if (entry.error !== undefined || entry.status >= 400) tally.failed += 1
    if (entry.key !== undefined) this.#addToKey(entry.key, entry.credits)
    if (method === 'eth_getLogs') this.#addLogs(entry)
    this.#addToSecond(entry)
  }

  /** Records the size of a batch. */
  addBatch(size: number): void {
    if (size > this.#peaks.batch) this.#peaks.batch = size
  }

  /** Returns the totals of all methods and operations by name. */
  tallies(): ReadonlyMap<string, Readonly<MethodTally>> {
    return this.#methods
  }

  report(plans: Readonly<Record<string, Plan>>): UsageReport {
    const tallies = [...this.#methods.values()]
    const sum = (pick: (tally: MethodTally) => number) =>
      tallies.reduce((total, tally) => total + pick(tally), 0)
    const credits = sum((tally) => tally.credits)
    const shares = Object.entries(plans).map(([name, plan]) => [
      name,
      {
        day: credits / plan.creditsPerDay,
        second: this.#peaks.creditsInOneSecond / plan.creditsPerSecond,
      },
    ])
    return {
      requests: sum((tally) => tally.calls),
      failed: sum((tally) => tally.failed),
      credits,
      byMethod: Object.fromEntries(this.#methods),
      byKey: Object.fromEntries(this.#keys),
      peaks: { ...this.#peaks },
      plans: Object.fromEntries(shares) as UsageReport['plans'],
    }
  }

  clear(): void {
    this.#methods.clear()
    this.#keys.clear()
    this.#peaks = noPeaks()
    this.#secondCredits = 0
  }

  #addToKey(label: string, credits: number): void {
    const key = nameIn(this.#keys, label)
    const used = this.#keys.get(key)
    if (used === undefined) this.#keys.set(key, { requests: 1, credits })
    else {
      used.requests += 1
      used.credits += credits
    }
  }

  #addLogs(entry: Omit<JournalEntry, 'id'>): void {
    if (entry.bytes > this.#peaks.logBytes) this.#peaks.logBytes = entry.bytes
    if (entry.error?.code === -32005) this.#peaks.logRefusals += 1
  }

  #addToSecond(entry: Omit<JournalEntry, 'id'>): void {
    const second = Math.floor(entry.time / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#secondCredits = 0
    }
    this.#secondCredits += entry.credits
    if (this.#secondCredits > this.#peaks.creditsInOneSecond)
      this.#peaks.creditsInOneSecond = this.#secondCredits
  }
}

/** Returns the name under which to count. */
function nameIn(counted: ReadonlyMap<string, unknown>, name: string): string {
  return counted.has(name) || (counted.size < MAX_NAMES && name.length <= MAX_NAME_LENGTH) ? name : others
}

function noPeaks(): UsagePeaks {
  return { creditsInOneSecond: 0, batch: 0, logBytes: 0, logRefusals: 0 }
}
