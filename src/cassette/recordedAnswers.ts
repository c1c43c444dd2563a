import { type Awaitable, type Steps, TimeSlice, runInSlices, runWithin } from '../encoding/timeSlice.js'
import type { CassetteReader } from './cassetteReader.js'
import { type AnswerPosition, Delays } from './delays.js'
import {
  type EntryAnswer,
  type RecordedCall,
  type SubscriptionEvent,
  isSubscriptionPrefix,
  linePrefixInSteps,
  parseAnswer,
  prefixHash,
} from './entry.js'

/** How recorded answers are replayed. */
export interface ReplaySettings {
  /** What to do with a call repeated more often than recorded: repeat the last answer, or refuse. */
  exhaustion: 'repeat' | 'refuse'
  /** Factor for recorded delays: 0 drops them, 1 keeps them. */
  delayScale: number
}

/** A recorded answer and what followed it. */
export interface RecordedAnswer {
  entry: EntryAnswer
  /** Events that follow the answer to a subscription. */
  events: readonly SubscriptionEvent[]
}

/** The next answer to a call. */
export interface TakenAnswer {
  answer: RecordedAnswer
  /** Number among the answers to its call, from 1, with every repetition. */
  place: number
}

/** An answer in the cassette. */
interface AnswerLine extends RecordedAnswer {
  offset: number
  /** Offset of the lines after it: those of the next answer if {@link hasNext}. */
  next: number
  hasNext: boolean
}

/** One of a call's lines, and the number of answers before it, with every repetition. */
interface LinePosition {
  offset: number
  before: number
}

/** Position of a call's replay. */
interface Progress {
  /** The last answer taken, or the first one. */
  at: LinePosition
  taken: number
  /** For answers that follow the chain: those visible after a number of changes. */
  visible?: VisibleAnswers
}

interface VisibleAnswers {
  changes: number
  /** The first of those recorded after the same change as the last one. */
  newest: LinePosition
  last: AnswerLine | undefined
  /** Their number, with every repetition. */
  count: number
  areAll: boolean
}

/** Approximate bytes of calls and their first answers kept in memory; others are read again. */
const KEPT_BYTES = 2 * 1024 * 1024
/** Maximum answers whose uses are counted. */
const COUNTED_ANSWERS = 100_000
/** Memory of an answer besides its texts, which mostly take a byte per character. */
const BYTES_OF_ANSWER = 500

/**
 * The answers of a cassette in order: each is taken as often as it was recorded. The cost of a call does not depend
 * on how many answers it has.
 */
export class RecordedAnswers {
  readonly reader: CassetteReader
  readonly delays: Delays
  readonly #exhaustion: ReplaySettings['exhaustion']
  /** First answers by line prefix: those used since the others became the older generation. */
  #recent = new Map<string, AnswerLine>()
  #recentBytes = 0
  #older: ReadonlyMap<string, AnswerLine> = new Map()
  /** By the offset of a call's first answer. Calls with a single answer need none. */
  readonly #progress = new Map<number, Progress>()

  /** How many times each answer was taken, by the offset of its line. */
  readonly #uses = new Map<number, number>()

  private constructor(reader: CassetteReader, delays: Delays, exhaustion: ReplaySettings['exhaustion']) {
    this.reader = reader
    this.delays = delays
    this.#exhaustion = exhaustion
  }

  /** @throws CassetteError if the file of delays cannot be read */
  static async open(reader: CassetteReader, { exhaustion, delayScale }: ReplaySettings) {
    return new RecordedAnswers(reader, await Delays.open(reader.path, delayScale), exhaustion)
  }

  /**
   * Takes the next answer to a call, or returns undefined.
   *
   * @param wanted - a result that takes precedence over the order, such as the hash of a transaction sent again
   */
  take(call: RecordedCall, wanted?: string): Awaitable<TakenAnswer | undefined> {
    return runWithin(this.#take(call, wanted), new TimeSlice())
  }

  /**
   * Takes the next answer to a call whose answers follow the chain; undefined if there is none.
   *
   * @param changes - calls so far that may have changed the chain: answers recorded after more of them must wait
   * @param follows - a head is always current, even if answers are skipped; news is neither skipped nor repeated
   */
  takeAt(call: RecordedCall, changes: number, follows: 'head' | 'news'): Awaitable<TakenAnswer | undefined> {
    const steps = follows === 'news' ? this.#takeNews(call, changes) : this.#takeHead(call, changes)
    return runWithin(steps, new TimeSlice())
  }

  /**
   * Returns how many times the answer in a line was taken; undefined if there were too many answers to count them
   * all.
   */
  usesOf(offset: number): number | undefined {
    const uses = this.#uses.get(offset)
    return uses === undefined && this.#uses.size === COUNTED_ANSWERS ? undefined : (uses ?? 0)
  }

  /** Waits as long as an answer or one of its events took; returns undefined if delays are off. */
  delay(call: RecordedCall, place: number, event?: number): Promise<void> | undefined {
    if (!this.delays.areKept) return undefined
    return this.#delay(call, { place, ...(event !== undefined && { event }) })
  }

  async #delay(call: RecordedCall, position: Omit<AnswerPosition, 'call'>): Promise<void> {
    const slice = new TimeSlice()
    const prefix = await runInSlices(linePrefixInSteps(call), slice)
    await this.delays.wait({ call: await runInSlices(prefixHash(prefix), slice), ...position })
  }

  *#take(call: RecordedCall, wanted?: string): Steps<TakenAnswer | undefined> {
    const prefix = yield* linePrefixInSteps(call)
    const first = yield* this.#firstAnswer(prefix)
    if (first === undefined) return undefined
    if (wanted !== undefined) {
      const text = JSON.stringify(wanted)
      for (let line: AnswerLine | undefined = first; line; line = yield* this.#nextAnswer(line, prefix)) {
        if ('resultText' in line.entry.outcome && line.entry.outcome.resultText === text)
          return this.#use(line, line.entry.nth)
        yield
      }
    }
    if (!first.hasNext && this.#repeatsFreely) return this.#use(first, 1)
    return yield* this.#takeInOrder(this.#progressOf(first.offset), prefix)
  }

  *#takeNews(call: RecordedCall, changes: number): Steps<TakenAnswer | undefined> {
    const prefix = yield* linePrefixInSteps(call)
    const first = yield* this.#firstAnswer(prefix)
    if (first === undefined) return undefined
    const progress = this.#progressOf(first.offset)
    const next = yield* this.#find(progress.at, progress.taken, prefix)
    if (!next.isExhausted && (next.line.entry.after ?? 0) <= changes) {
      return yield* this.#takeInOrder(progress, prefix)
    }
    if (next.isExhausted && this.#exhaustion === 'refuse') return undefined
    const entry = { ...first.entry, outcome: { resultText: '[]' } }
    return { answer: { entry, events: [] }, place: 0 }
  }

  *#takeHead(call: RecordedCall, changes: number): Steps<TakenAnswer | undefined> {
    const prefix = yield* linePrefixInSteps(call)
    const first = yield* this.#firstAnswer(prefix)
    if (first === undefined) return undefined
    if (!first.hasNext && this.#repeatsFreely) return this.#use(first, 1)
    const progress = this.#progressOf(first.offset)
    const { newest, last, count, areAll } = yield* this.#visibleAnswers(
      progress,
      first.offset,
      prefix,
      changes,
    )
    if (progress.taken < newest.before) {
      progress.taken = newest.before
      progress.at = newest
    }
    if (last !== undefined && !areAll && progress.taken >= count) return this.#use(last, count)
    return yield* this.#takeInOrder(progress, prefix)
  }

  /** Returns the answers recorded after no more changes than there have been now. */
  *#visibleAnswers(
    progress: Progress,
    first: number,
    prefix: string,
    changes: number,
  ): Steps<VisibleAnswers> {
    const known = progress.visible
    if (known?.changes === changes) return known
    const begin = known?.newest ?? { offset: first, before: 0 }
    const visible: VisibleAnswers = {
      changes,
      newest: begin,
      last: undefined,
      count: begin.before,
      areAll: true,
    }
    let place = begin
    let line = yield* this.#answerAt(place.offset, prefix)
    for (; line !== undefined; line = yield* this.#nextAnswer(line, prefix)) {
      const { after = 0, times = 1 } = line.entry
      if (after > changes) {
        visible.areAll = false
        break
      }
      if (after !== (visible.last?.entry.after ?? 0)) visible.newest = place
      visible.last = line
      visible.count += times
      place = { offset: line.next, before: place.before + times }
      yield
    }
    progress.visible = visible
    return visible
  }

  #use(answer: AnswerLine, place: number): TakenAnswer {
    const uses = this.#uses.get(answer.offset)
    if (uses !== undefined || this.#uses.size < COUNTED_ANSWERS)
      this.#uses.set(answer.offset, (uses ?? 0) + 1)
    return { answer, place }
  }

  get #repeatsFreely(): boolean {
    return this.#exhaustion === 'repeat' && !this.delays.areKept
  }

  #progressOf(offset: number): Progress {
    let progress = this.#progress.get(offset)
    if (progress === undefined) {
      progress = { at: { offset, before: 0 }, taken: 0 }
      this.#progress.set(offset, progress)
    }
    return progress
  }

  *#takeInOrder(progress: Progress, prefix: string): Steps<TakenAnswer | undefined> {
    // Counted before any read: concurrent equal calls get different answers.
    const taken = progress.taken++
    const { line, at, isExhausted } = yield* this.#find(progress.at, taken, prefix)
    if (at.before > progress.at.before) progress.at = at
    if (isExhausted && this.#exhaustion === 'refuse') return undefined
    return this.#use(line, taken + 1)
  }

  /**
   * Finds the answer with a number of others before it, or the last one.
   *
   * @param from - the line itself or an earlier one
   */
  *#find(
    from: LinePosition,
    index: number,
    prefix: string,
  ): Steps<{ line: AnswerLine; at: LinePosition; isExhausted: boolean }> {
    let at = from
    for (let line = (yield* this.#answerAt(at.offset, prefix))!; ; yield) {
      const after = at.before + (line.entry.times ?? 1)
      if (index < after) return { line, at, isExhausted: false }
      const next = yield* this.#nextAnswer(line, prefix)
      if (next === undefined) return { line, at, isExhausted: true }
      at = { offset: line.next, before: after }
      line = next
    }
  }

  *#firstAnswer(prefix: string): Steps<AnswerLine | undefined> {
    const recent = this.#recent.get(prefix)
    if (recent !== undefined) return recent
    const older = this.#older.get(prefix)
    if (older !== undefined) return this.#keep(prefix, older)
    const line = yield* this.#answerAt(yield* this.reader.lowerBound(prefix), prefix)
    return line && this.#keep(prefix, line)
  }

  #keep(prefix: string, first: AnswerLine): AnswerLine {
    const bytes = BYTES_OF_ANSWER + first.next - first.offset
    if (bytes > KEPT_BYTES / 8) return first
    if (this.#recentBytes + bytes > KEPT_BYTES / 2) {
      this.#older = this.#recent
      this.#recent = new Map()
      this.#recentBytes = 0
    }
    this.#recent.set(prefix, first)
    this.#recentBytes += bytes
    return first
  }

  *#nextAnswer({ hasNext, next }: AnswerLine, prefix: string): Steps<AnswerLine | undefined> {
    return hasNext ? yield* this.#answerAt(next, prefix) : undefined
  }

  /** Reads an answer and the events that follow it. */
  *#answerAt(offset: number, prefix: string): Steps<AnswerLine | undefined> {
    const first = yield* this.reader.lineRestAt(offset, prefix)
    if (first === undefined) return undefined
    const entry = yield* parseAnswer(first.rest)
    const events: SubscriptionEvent[] = []
    let { next } = first
    let hasNext = yield* this.reader.startsWith(next, prefix)
    for (const isSubscription = hasNext && isSubscriptionPrefix(prefix); isSubscription && hasNext;) {
      const following = (yield* this.reader.lineRestAt(next, prefix))!
      const { outcome } = yield* parseAnswer(following.rest)
      if (!('event' in outcome)) break
      events.push(outcome)
      next = following.next
      hasNext = yield* this.reader.startsWith(next, prefix)
      yield
    }
    return { entry, events, offset, next, hasNext }
  }
}
