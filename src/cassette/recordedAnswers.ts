import type { CassetteReader } from './cassetteReader.js'
import { Delays } from './delays.js'
import { callHash, type CassetteEntry, type RecordedCall } from './entry.js'

/** How recorded answers are used. */
export interface ReplaySettings {
  /** What happens when a call comes more often than it was recorded: the last answer again, or a refusal. */
  exhaustion: 'repeat' | 'refuse'
  /** By what recorded delays are multiplied: 0 drops them, 1 keeps them. */
  delayScale: number
}

/** The answer whose turn it is. */
export interface TakenAnswer {
  entry: CassetteEntry
  /** The notifications behind the answer to a subscription. */
  events: readonly CassetteEntry[]
  /** Which answer of its call it is, from 1, with every repetition. */
  place: number
}

/** Calls whose answers stay in memory; others are read again. */
const KEPT_CALLS = 4096

/** The answers of a cassette in their order: each is taken as often as it was recorded. */
export class RecordedAnswers {
  readonly reader: CassetteReader
  readonly delays: Delays
  readonly #exhaustion: ReplaySettings['exhaustion']
  readonly #kept = new Map<string, CassetteEntry[]>()
  /** How many answers of a call were taken. */
  readonly #taken = new Map<string, number>()

  constructor(reader: CassetteReader, { exhaustion, delayScale }: ReplaySettings) {
    this.reader = reader
    this.delays = new Delays(reader.path, delayScale)
    this.#exhaustion = exhaustion
  }

  /** The next answer to a call; undefined if there is none. */
  take(call: RecordedCall): TakenAnswer | undefined {
    const hash = callHash(call)
    const entries = this.#entriesOf(call, hash)
    const answers = entries.filter(({ outcome }) => !('event' in outcome))
    const taken = this.#taken.get(hash) ?? 0
    let seen = 0
    let entry = answers.find(({ times = 1 }) => (seen += times) > taken)
    if (entry === undefined && this.#exhaustion === 'repeat') entry = answers.at(-1)
    if (entry === undefined) return undefined
    this.#taken.set(hash, taken + 1)
    const { nth } = entry
    const events = entries.filter(({ nth: of, outcome }) => of === nth && 'event' in outcome)
    return { entry, events, place: taken + 1 }
  }

  #entriesOf(call: RecordedCall, hash: string): CassetteEntry[] {
    const kept = this.#kept.get(hash)
    if (kept !== undefined) return kept
    const entries = this.reader.find(call)
    if (this.#kept.size >= KEPT_CALLS) this.#kept.delete(this.#kept.keys().next().value!)
    this.#kept.set(hash, entries)
    return entries
  }
}
