import { matchesName } from '../journal/entry.js'
import type { FaultAction, FaultMatch } from './faultSchema.js'
import { createRandom, seedFor } from './random.js'

/** What a fault is held against. */
export interface FaultSubject {
  network: string
  key: string | undefined
  transport: 'http' | 'websocket' | 'upgrade' | 'files'
  method?: string | undefined
  operation?: string | undefined
}

/** A fault that is set, with how often it was met. */
export interface FaultReport {
  id: string
  match: FaultMatch
  action: FaultAction
  /** Requests that it fitted but for nth, every and probability. */
  seen: number
  /** Requests that it happened to. */
  hits: number
}

/** A fault that happens to a request. */
export interface FaultHit {
  id: string
  action: FaultAction
  /** From 0 to below 1, of the fault's own seed. */
  draw: () => number
}

interface SetFault extends FaultReport {
  draw: () => number
  setAt: number
}

/** The faults that are set. The same faults, seed and requests give the same run. */
export class FaultBook {
  readonly #seed: number
  readonly #now: () => number
  #faults: SetFault[] = []
  #nextId = 1

  /** @param options.now milliseconds, for time windows */
  constructor(options: { seed: number; now?: () => number }) {
    this.#seed = options.seed
    this.#now = options.now ?? (() => performance.now())
  }

  /** Whether nothing is set, so that nothing needs to be looked at. */
  get isEmpty(): boolean {
    return this.#faults.length === 0
  }

  /** Sets a fault, in the place of one of the same id. @returns its id */
  set(fault: { id?: string | undefined; match: FaultMatch; action: FaultAction }): string {
    const id = fault.id ?? this.#freeId()
    this.clear(id)
    const draw = createRandom(seedFor(this.#seed, id))
    this.#faults.push({ ...fault, id, seen: 0, hits: 0, draw, setAt: this.#now() })
    return id
  }

  /** Lifts one fault, or all. @returns how many */
  clear(id?: string): number {
    const before = this.#faults.length
    this.#faults = id === undefined ? [] : this.#faults.filter((fault) => fault.id !== id)
    return before - this.#faults.length
  }

  list(): FaultReport[] {
    return this.#faults.map(({ id, match, action, seen, hits }) => ({ id, match, action, seen, hits }))
  }

  /** The faults that happen to a request, in the order in which they were set. */
  meet(subject: FaultSubject): FaultHit[] {
    const hits: FaultHit[] = []
    for (const fault of this.#faults) {
      if (!this.#fits(fault, subject)) continue
      fault.seen += 1
      if (!happens(fault)) continue
      fault.hits += 1
      hits.push({ id: fault.id, action: fault.action, draw: fault.draw })
    }
    return hits
  }

  #fits({ match, setAt }: SetFault, subject: FaultSubject): boolean {
    const age = this.#now() - setAt
    return (
      fits(match.network, subject.network) &&
      fits(match.key, subject.key) &&
      fits(match.transport, subject.transport) &&
      fitsName(match.method, subject.method) &&
      fitsName(match.operation, subject.operation) &&
      age >= (match.from ?? 0) &&
      age <= (match.until ?? Infinity)
    )
  }

  #freeId(): string {
    let id = `fault-${this.#nextId++}`
    while (this.#faults.some((fault) => fault.id === id)) id = `fault-${this.#nextId++}`
    return id
  }
}

function happens({ match, seen, draw }: SetFault): boolean {
  if (match.nth !== undefined && !toList(match.nth).includes(seen)) return false
  if (match.every !== undefined && seen % match.every !== 0) return false
  return match.probability === undefined || draw() < match.probability
}

function toList<Item>(value: Item | readonly Item[]): readonly Item[] {
  return Array.isArray(value) ? (value as readonly Item[]) : [value as Item]
}

function fits<Item>(wanted: Item | readonly Item[] | undefined, actual: Item | undefined): boolean {
  return wanted === undefined || (actual !== undefined && toList(wanted).includes(actual))
}

function fitsName(wanted: string | readonly string[] | undefined, actual: string | undefined): boolean {
  if (wanted === undefined) return true
  return actual !== undefined && toList(wanted).some((pattern) => matchesName(pattern, actual))
}
