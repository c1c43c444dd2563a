import type { CassetteReader } from './cassetteReader.js'
import { Delays } from './delays.js'
import {
  type CassetteEntry,
  type RecordedCall,
  type SubscriptionEvent,
  callHash,
  linePrefix,
} from './entry.js'

/** How recorded answers are used. */
export interface ReplaySettings {
  /** What happens when a call comes more often than it was recorded: the last answer again, or a refusal. */
  exhaustion: 'repeat' | 'refuse'
  /** By what recorded delays are multiplied: 0 drops them, 1 keeps them. */
  delayScale: number
}

/** A recorded answer and what followed it. */
export interface RecordedAnswer {
  entry: CassetteEntry
  /** The JSON text of the result; undefined if there is none. */
  text: string | undefined
  /** The events behind the answer to a subscription. */
  events: readonly SubscriptionEvent[]
}

/** The answer whose turn it is. */
export interface TakenAnswer extends RecordedAnswer {
  /** Which answer of its call it is, from 1, with every repetition. */
  place: number
}

/** The answers to one call. */
interface Answers {
  /** Where their first line is; it stands for the call. */
  offset: number
  answers: readonly RecordedAnswer[]
}

/** Characters of calls and answers that stay in memory; others are read again. */
const KEPT_CHARACTERS = 8 * 1024 * 1024

/** The answers of a cassette in their order: each is taken as often as it was recorded. */
export class RecordedAnswers {
  readonly reader: CassetteReader
  readonly delays: Delays
  readonly #exhaustion: ReplaySettings['exhaustion']
  /** By the beginning of the call's lines; the one used last is the last one. */
  readonly #kept = new Map<string, { found: Answers; characters: number }>()
  #keptCharacters = 0
  /** How many answers of a call were taken, by the place of its first line. Calls with one answer need no count. */
  readonly #taken = new Map<number, number>()

  constructor(reader: CassetteReader, { exhaustion, delayScale }: ReplaySettings) {
    this.reader = reader
    this.delays = new Delays(reader.path, delayScale)
    this.#exhaustion = exhaustion
  }

  /**
   * The next answer to a call; undefined if there is none.
   *
   * @param wanted - a result that goes before the order, as the hash of a transaction that is sent again
   */
  take(call: RecordedCall, wanted?: string): TakenAnswer | undefined {
    const { offset, answers } = this.#answersTo(call)
    const [first] = answers
    if (first === undefined) return undefined
    if (wanted !== undefined) {
      const text = JSON.stringify(wanted)
      const same = answers.find((answer) => answer.text === text)
      if (same !== undefined) return { ...same, place: same.entry.nth }
    }
    if (answers.length === 1 && this.#repeatsFreely) return { ...first, place: 1 }
    return this.#takeInOrder(offset, answers)
  }

  /**
   * The next answer to a call whose answers follow the chain; undefined if there is none.
   *
   * @param changes - calls so far that may have changed the chain: answers that were seen after more of them have to wait
   * @param follows - a head is that of now, even if answers are passed over; of news none is left out or told twice
   */
  takeAt(call: RecordedCall, changes: number, follows: 'head' | 'news'): TakenAnswer | undefined {
    const { offset, answers } = this.#answersTo(call)
    const [first] = answers
    if (first === undefined) return undefined
    if (follows === 'news') {
      const next = this.#next(answers, this.#taken.get(offset) ?? 0)
      if (next !== undefined && (next.entry.after ?? 0) <= changes) return this.#takeInOrder(offset, answers)
      if (next === undefined && this.#exhaustion === 'refuse') return undefined
      return { ...first, text: '[]', place: 0 }
    }
    if (answers.length === 1 && this.#repeatsFreely) return { ...first, place: 1 }
    const seen = answers.filter(({ entry: { after = 0 } }) => after <= changes)
    const now = (seen.at(-1) ?? first).entry.after ?? 0
    const before = answers.findIndex(({ entry: { after = 0 } }) => after === now)
    const passed = answers.slice(0, before).reduce((sum, { entry: { times = 1 } }) => sum + times, 0)
    const until = seen.reduce((sum, { entry: { times = 1 } }) => sum + times, 0)
    const taken = Math.max(this.#taken.get(offset) ?? 0, passed)
    if (taken >= until && seen.length > 0 && seen.length < answers.length) {
      return { ...seen.at(-1)!, place: until }
    }
    this.#taken.set(offset, taken)
    return this.#takeInOrder(offset, answers)
  }

  get #repeatsFreely(): boolean {
    return this.#exhaustion === 'repeat' && !this.delays.areKept
  }

  #takeInOrder(offset: number, answers: readonly RecordedAnswer[]): TakenAnswer | undefined {
    const taken = this.#taken.get(offset) ?? 0
    const answer = this.#next(answers, taken) ?? (this.#exhaustion === 'repeat' ? answers.at(-1) : undefined)
    if (answer === undefined) return undefined
    this.#taken.set(offset, taken + 1)
    return { ...answer, place: taken + 1 }
  }

  #next(answers: readonly RecordedAnswer[], taken: number): RecordedAnswer | undefined {
    let seen = 0
    return answers.find(({ entry: { times = 1 } }) => (seen += times) > taken)
  }

  /** Waits as long as an answer took, or one of its events; undefined where delays do not count. */
  delay(call: RecordedCall, place: number, event?: number): Promise<void> | undefined {
    if (!this.delays.areKept) return undefined
    return this.delays.wait({ call: callHash(call), place, ...(event !== undefined && { event }) })
  }

  #answersTo(call: RecordedCall): Answers {
    const prefix = linePrefix(call)
    const kept = this.#kept.get(prefix)
    if (kept !== undefined) return kept.found
    const { offset, entries, bytes } = this.reader.find(prefix)
    const found = { offset, answers: groupAnswers(entries) }
    const characters = prefix.length + 2 * bytes
    if (characters > KEPT_CHARACTERS / 8) return found
    this.#kept.set(prefix, { found, characters })
    this.#keptCharacters += characters
    for (const [oldest, { characters: freed }] of this.#kept) {
      if (this.#keptCharacters <= KEPT_CHARACTERS) break
      this.#kept.delete(oldest)
      this.#keptCharacters -= freed
    }
    return found
  }
}

function groupAnswers(entries: readonly CassetteEntry[]): RecordedAnswer[] {
  const answers: (RecordedAnswer & { events: SubscriptionEvent[] })[] = []
  for (const entry of entries) {
    const { outcome } = entry
    if ('event' in outcome) answers.at(-1)?.events.push(outcome)
    else answers.push({ entry, text: 'resultText' in outcome ? outcome.resultText : undefined, events: [] })
  }
  return answers
}
