import { type Awaitable, type Steps, TimeSlice, runWithin } from '../encoding/timeSlice.js'
import type { CassetteReader } from './cassetteReader.js'
import { Delays } from './delays.js'
import {
  type EntryAnswer,
  type RecordedCall,
  type SubscriptionEvent,
  isOfSubscription,
  linePrefix,
  linePrefixInSlices,
  parseAnswer,
  prefixHash,
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
  entry: EntryAnswer
  /** The events behind the answer to a subscription. */
  events: readonly SubscriptionEvent[]
}

/** The answer whose turn it is. */
export interface TakenAnswer {
  answer: RecordedAnswer
  /** Which answer of its call it is, from 1, with every repetition. */
  place: number
}

/** An answer in the cassette. */
interface AnswerLine extends RecordedAnswer {
  offset: number
  /** Where the lines behind it begin: those of the next answer, if {@link hasNext}. */
  next: number
  hasNext: boolean
}

/** A line among those of a call, and how many answers there are before it, with every repetition. */
interface LinePlace {
  offset: number
  before: number
}

/** Where a call's answers are, and how far they were used. */
interface Progress {
  /** The answer that was taken last, or the first one. */
  at: LinePlace
  taken: number
  /** Of answers that follow the chain: those that may show after so many changes. */
  visible?: VisibleAnswers
}

interface VisibleAnswers {
  changes: number
  /** The first of those that were recorded after the same change as the last one. */
  newest: LinePlace
  last: AnswerLine | undefined
  /** How many there are, with every repetition. */
  count: number
  areAll: boolean
}

/** About how many bytes of calls and their first answers stay in memory; others are read again. */
const KEPT_BYTES = 2 * 1024 * 1024
/** Answers whose uses are counted. */
const COUNTED_ANSWERS = 100_000
/** What an answer takes beside its texts, which have a byte for each character mostly. */
const BYTES_OF_ANSWER = 500

/**
 * The answers of a cassette in their order: each is taken as often as it was recorded. What a call takes does not depend
 * on how many answers it has.
 */
export class RecordedAnswers {
  readonly reader: CassetteReader
  readonly delays: Delays
  readonly #exhaustion: ReplaySettings['exhaustion']
  /** First answers by the beginning of their calls' lines: those that were used since the others became older ones. */
  #recent = new Map<string, AnswerLine>()
  #recentBytes = 0
  #older: ReadonlyMap<string, AnswerLine> = new Map()
  /** By the offset of the first answer to a call. Calls with one answer need none. */
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
   * The next answer to a call; undefined if there is none.
   *
   * @param wanted - a result that goes before the order, as the hash of a transaction that is sent again
   */
  take(call: RecordedCall, wanted?: string): Awaitable<TakenAnswer | undefined> {
    return runWithin(this.#take(call, wanted), new TimeSlice())
  }

  /**
   * The next answer to a call whose answers follow the chain; undefined if there is none.
   *
   * @param changes - calls so far that may have changed the chain: answers that were seen after more of them have to wait
   * @param follows - a head is that of now, even if answers are passed over; of news none is left out or told twice
   */
  takeAt(call: RecordedCall, changes: number, follows: 'head' | 'news'): Awaitable<TakenAnswer | undefined> {
    const steps = follows === 'news' ? this.#takeNews(call, changes) : this.#takeHead(call, changes)
    return runWithin(steps, new TimeSlice())
  }

  /** How many times the answer in a line was taken; undefined if too many answers were to count those of all. */
  usesOf(offset: number): number | undefined {
    const uses = this.#uses.get(offset)
    return uses === undefined && this.#uses.size === COUNTED_ANSWERS ? undefined : (uses ?? 0)
  }

  /** Waits as long as an answer took, or one of its events; undefined where delays do not count. */
  delay(call: RecordedCall, place: number, event?: number): Promise<void> | undefined {
    if (!this.delays.areKept) return undefined
    const hash = prefixHash(linePrefix(call))
    return this.delays.wait({ call: hash, place, ...(event !== undefined && { event }) })
  }

  *#take(call: RecordedCall, wanted?: string): Steps<TakenAnswer | undefined> {
    const prefix = yield* linePrefixInSlices(call)
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
    const prefix = yield* linePrefixInSlices(call)
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
    const prefix = yield* linePrefixInSlices(call)
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

  /** Answers that were recorded after no more changes than there were now. */
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
    // Counted before anything is read: equal calls at the same time get different answers.
    const taken = progress.taken++
    const { line, at, isExhausted } = yield* this.#find(progress.at, taken, prefix)
    if (at.before > progress.at.before) progress.at = at
    if (isExhausted && this.#exhaustion === 'refuse') return undefined
    return this.#use(line, taken + 1)
  }

  /**
   * The answer that comes after so many others, or the last one.
   *
   * @param from - a line that is not behind it
   */
  *#find(
    from: LinePlace,
    index: number,
    prefix: string,
  ): Steps<{ line: AnswerLine; at: LinePlace; isExhausted: boolean }> {
    let at = from
    for (let line = (yield* this.#answerAt(at.offset, prefix))!; ; yield) {
      const behind = at.before + (line.entry.times ?? 1)
      if (index < behind) return { line, at, isExhausted: false }
      const next = yield* this.#nextAnswer(line, prefix)
      if (next === undefined) return { line, at, isExhausted: true }
      at = { offset: line.next, before: behind }
      line = next
    }
  }

  *#firstAnswer(prefix: string): Steps<AnswerLine | undefined> {
    const recent = this.#recent.get(prefix)
    if (recent !== undefined) return recent
    const older = this.#older.get(prefix)
    if (older !== undefined) return this.#keep(prefix, older)
    const line = yield* this.#answerAt(this.reader.lowerBound(prefix), prefix)
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
    const first = this.reader.restAt(offset, prefix)
    if (first === undefined) return undefined
    const entry = yield* parseAnswer(first.rest)
    const events: SubscriptionEvent[] = []
    let { next } = first
    let hasNext = this.reader.startsWith(next, prefix)
    for (const isSubscription = hasNext && isOfSubscription(prefix); isSubscription && hasNext;) {
      const following = this.reader.restAt(next, prefix)!
      const { outcome } = yield* parseAnswer(following.rest)
      if (!('event' in outcome)) break
      events.push(outcome)
      next = following.next
      hasNext = this.reader.startsWith(next, prefix)
      yield
    }
    return { entry, events, offset, next, hasNext }
  }
}
