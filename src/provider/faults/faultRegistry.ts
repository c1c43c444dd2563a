import { ConfigurationError } from '../configuration.js'
import { maskKey, matchesName } from '../journal/journal.js'
import type { FaultAction, FaultMatch } from './faultSchema.js'

/** Properties of a request that faults match. */
export interface FaultSubject {
  network: string
  key: string | undefined
  transport: 'http' | 'websocket' | 'upgrade' | 'files'
  method?: string | undefined
  operation?: string | undefined
}

/** An active fault with its counters. */
export interface FaultReport {
  id: string
  match: FaultMatch
  action: FaultAction
  /** Matching requests before nth, every and probability are applied. */
  seen: number
  /** Requests that the fault hit. */
  hits: number
}

/** A fault that hits a request. */
export interface FaultHit {
  id: string
  action: FaultAction
  /** Draws a number in [0, 1) from the fault's own seed. */
  draw: () => number
}

interface SetFault extends FaultReport {
  draw: () => number
  setAt: number
}

/** Maximum number of active faults, because each request is matched against all of them. */
const MAX_FAULTS = 1000

/** A fault to set; without an id it gets one. */
export interface FaultToSet {
  id?: string | undefined
  match: FaultMatch
  action: FaultAction
}

/** The active faults. The same faults, seed and requests reproduce the same run. */
export class FaultRegistry {
  readonly #seed: number
  readonly #now: () => number
  /** By id, in the order set. */
  readonly #faults = new Map<string, SetFault>()
  #nextId = 1

  /** @param options.now - milliseconds, for time windows */
  constructor(options: { seed: number; now?: () => number }) {
    this.#seed = options.seed
    this.#now = options.now ?? (() => performance.now())
  }

  /** Whether no faults are set, so that matching can be skipped. */
  get isEmpty(): boolean {
    return this.#faults.size === 0
  }

  /** Total hits of the active faults. */
  get hits(): number {
    let total = 0
    for (const { hits } of this.#faults.values()) total += hits
    return total
  }

  /** Number of active faults. */
  get size(): number {
    return this.#faults.size
  }

  /**
   * Sets faults, replacing those with the same ids.
   *
   * @returns their ids
   * @throws ConfigurationError if there would be more than {@link MAX_FAULTS}; none is set then
   */
  set(faults: readonly FaultToSet[]): string[] {
    const added = faults.filter(({ id }) => id === undefined || !this.#faults.has(id)).length
    if (this.#faults.size + added > MAX_FAULTS) {
      throw new ConfigurationError(`faults: expected at most ${MAX_FAULTS}`)
    }
    return faults.map((fault) => {
      const id = fault.id ?? this.#freeId()
      this.#faults.delete(id)
      const draw = createRandom(seedFor(this.#seed, id))
      this.#faults.set(id, { ...fault, id, seen: 0, hits: 0, draw, setAt: this.#now() })
      return id
    })
  }

  /** Removes one fault, or all. @returns how many */
  clear(id?: string): number {
    if (id !== undefined) return this.#faults.delete(id) ? 1 : 0
    const lifted = this.#faults.size
    this.#faults.clear()
    return lifted
  }

  /** Lists the active faults in the order set, with masked keys. */
  list(): FaultReport[] {
    return [...this.#faults.values()].map(({ id, match, action, seen, hits }) => ({
      id,
      match: maskKeys(match),
      action,
      seen,
      hits,
    }))
  }

  /** Returns the faults that hit a request, in the order set. */
  meet(subject: FaultSubject): FaultHit[] {
    const hits: FaultHit[] = []
    for (const fault of this.#faults.values()) {
      if (!this.#fits(fault, subject)) continue
      fault.seen += 1
      if (!isDue(fault)) continue
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
      matchesAnyName(match.method, subject.method) &&
      matchesAnyName(match.operation, subject.operation) &&
      age >= (match.from ?? 0) &&
      age <= (match.until ?? Infinity)
    )
  }

  #freeId(): string {
    let id = `fault-${this.#nextId++}`
    while (this.#faults.has(id)) id = `fault-${this.#nextId++}`
    return id
  }
}

function isDue({ match, seen, draw }: SetFault): boolean {
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

function matchesAnyName(wanted: string | readonly string[] | undefined, actual: string | undefined): boolean {
  if (wanted === undefined) return true
  return actual !== undefined && toList(wanted).some((pattern) => matchesName(pattern, actual))
}

/** Creates a deterministic source of numbers in [0, 1): mulberry32, a public-domain generator with 32 bits of state. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Derives a seed per name, so that one fault's draws do not depend on another's. */
function seedFor(seed: number, name: string): number {
  let mixed = seed >>> 0
  for (const character of name) mixed = Math.imul(mixed ^ character.charCodeAt(0), 0x01000193) >>> 0
  return mixed
}

/** Effects of faults on an answer in transit. */
export interface TransportEffects {
  /** Sends the body at this rate. */
  bytesPerSecond?: number
  /** Closes the connection after this many bytes of the body. */
  cutAfter?: number
  /** Closes the connection instead of answering. */
  close?: boolean
}

/** Returns the effects of faults on one answer; undefined if there are none. */
export function effectsOf(hits: readonly FaultHit[]): TransportEffects | undefined {
  let effects: TransportEffects | undefined
  for (const { action } of hits) {
    if (action.type === 'throttle') effects = { ...effects, bytesPerSecond: action.bytesPerSecond }
    else if (action.type === 'cut') effects = { ...effects, cutAfter: action.bytes }
    else if (action.type === 'close') effects = { ...effects, close: true }
  }
  return effects
}

/** Returns the delay of an answer in milliseconds; Infinity if it never comes. */
export function delayOf(hits: readonly FaultHit[]): number {
  let total = 0
  for (const { action, draw } of hits) {
    if (action.type === 'hang') return Infinity
    if (action.type !== 'delay') continue
    const { milliseconds } = action
    total +=
      typeof milliseconds === 'number'
        ? milliseconds
        : milliseconds.minimum + draw() * (milliseconds.maximum - milliseconds.minimum)
  }
  return total
}

/** Waits for a fault's delay; forever if Infinity. */
export function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    if (milliseconds !== Infinity) setTimeout(resolve, milliseconds)
  })
}

function maskKeys(match: FaultMatch): FaultMatch {
  if (match.key === undefined) return match
  return { ...match, key: Array.isArray(match.key) ? match.key.map(maskKey) : maskKey(match.key) }
}
