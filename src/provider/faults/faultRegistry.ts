import { ConfigurationError } from '../configuration.js'
import { matchesName } from '../journal/journal.js'
import { maskKey } from '../keys/keyLabels.js'
import type { FaultAction, FaultMatch } from './faultSchema.js'

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

/** Faults that may be set at once: each request is held against all of them. */
const MOST_FAULTS = 1000

/** A fault that is to be set; without an id it gets one. */
export interface FaultToSet {
  id?: string | undefined
  match: FaultMatch
  action: FaultAction
}

/** The faults that are set. The same faults, seed and requests give the same run. */
export class FaultRegistry {
  readonly #seed: number
  readonly #now: () => number
  /** By id, in the order in which they were set. */
  readonly #faults = new Map<string, SetFault>()
  #nextId = 1

  /** @param options.now milliseconds, for time windows */
  constructor(options: { seed: number; now?: () => number }) {
    this.#seed = options.seed
    this.#now = options.now ?? (() => performance.now())
  }

  /** Whether nothing is set, so that nothing needs to be looked at. */
  get isEmpty(): boolean {
    return this.#faults.size === 0
  }

  /**
   * Sets faults, each in the place of one of the same id.
   *
   * @returns their ids
   * @throws ConfigurationError if there would be more than {@link MOST_FAULTS}; none is set then
   */
  set(faults: readonly FaultToSet[]): string[] {
    const added = faults.filter(({ id }) => id === undefined || !this.#faults.has(id)).length
    if (this.#faults.size + added > MOST_FAULTS) {
      throw new ConfigurationError(`faults: expected at most ${MOST_FAULTS}`)
    }
    return faults.map((fault) => {
      const id = fault.id ?? this.#freeId()
      this.#faults.delete(id)
      const draw = createRandom(seedFor(this.#seed, id))
      this.#faults.set(id, { ...fault, id, seen: 0, hits: 0, draw, setAt: this.#now() })
      return id
    })
  }

  /** Lifts one fault, or all. @returns how many */
  clear(id?: string): number {
    if (id !== undefined) return this.#faults.delete(id) ? 1 : 0
    const lifted = this.#faults.size
    this.#faults.clear()
    return lifted
  }

  /** The faults that are set, in the order in which they were; keys are masked. */
  list(): FaultReport[] {
    return [...this.#faults.values()].map(({ id, match, action, seen, hits }) => ({
      id,
      match: maskKeys(match),
      action,
      seen,
      hits,
    }))
  }

  /** The faults that happen to a request, in the order in which they were set. */
  meet(subject: FaultSubject): FaultHit[] {
    const hits: FaultHit[] = []
    for (const fault of this.#faults.values()) {
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
    while (this.#faults.has(id)) id = `fault-${this.#nextId++}`
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

/**
 * A source of numbers from 0 to below 1 that is the same for the same seed: mulberry32, a generator of 32 bits of
 * state in the public domain.
 */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A seed of its own for each name, so that one fault's draws do not depend on another's. */
export function seedFor(seed: number, name: string): number {
  let mixed = seed >>> 0
  for (const character of name) mixed = Math.imul(mixed ^ character.charCodeAt(0), 0x01000193) >>> 0
  return mixed
}

/** What faults do to an answer on its way through the socket. */
export interface TransportEffects {
  /** Sends the body at this rate. */
  bytesPerSecond?: number
  /** Closes the connection after so many bytes of the body. */
  cutAfter?: number
  /** Closes the connection instead of answering. */
  close?: boolean
}

/** The effects of faults on one answer; undefined if they have none. */
export function effectsOf(hits: readonly FaultHit[]): TransportEffects | undefined {
  let effects: TransportEffects | undefined
  for (const { action } of hits) {
    if (action.type === 'throttle') effects = { ...effects, bytesPerSecond: action.bytesPerSecond }
    else if (action.type === 'cut') effects = { ...effects, cutAfter: action.bytes }
    else if (action.type === 'close') effects = { ...effects, close: true }
  }
  return effects
}

/** Milliseconds that faults hold an answer back; Infinity if it never comes. */
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

/** Waits as long as faults want; for ever if the answer never comes. */
export function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    if (milliseconds !== Infinity) setTimeout(resolve, milliseconds)
  })
}

function maskKeys(match: FaultMatch): FaultMatch {
  if (match.key === undefined) return match
  return { ...match, key: Array.isArray(match.key) ? match.key.map(maskKey) : maskKey(match.key) }
}
