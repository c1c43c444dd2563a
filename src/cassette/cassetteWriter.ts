import { closeSync, existsSync, fstatSync, ftruncateSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { STRING_AT_ONCE, partsOf } from '../encoding/jsonWriter.js'
import { type Mask, createMask } from '../encoding/maskUrl.js'
import {
  type Awaitable,
  type Steps,
  TimeSlice,
  runInSlices,
  runWithin,
  whenReady,
} from '../encoding/timeSlice.js'
import type { CassetteReader } from './cassetteReader.js'
import { closeCassette } from './closing.js'
import { DelayRecorder } from './delays.js'
import {
  type CassetteEntry,
  type RecordedOutcome,
  type SubscriptionEvent,
  formatPlace,
  outcomePieces,
  prefixHash,
} from './entry.js'
import { formatHeader, formatPin, parseHeader, withPin, type CassetteHeader } from './header.js'
import { readLines, writeWhole } from './lines.js'
import type { CassetteRules } from './rules.js'

/**
 * A cassette being recorded. Every entry is appended before its answer is delivered, and so survives a killed process;
 * {@link close} sorts the file and numbers the answers to equal calls.
 */
export class CassetteWriter {
  readonly path: string
  readonly rules: CassetteRules
  readonly #file: number
  readonly #delays: DelayRecorder
  /** Masks keys in the provider's URLs. */
  readonly mask: Mask
  #header: CassetteHeader
  /** Place of the last answer among all answers. */
  #last: number
  /** Settles when the lines begun are written; undefined if none are in progress. */
  #writing: Promise<void> | undefined

  private constructor(
    { path, header }: { path: string; header: CassetteHeader },
    { flags, maskedUrls }: { flags: 'w' | 'a'; maskedUrls: readonly string[] },
  ) {
    this.path = path
    this.mask = createMask(maskedUrls)
    this.rules = header.rules
    this.#header = header
    this.#last = header.closed?.entries ?? 0
    this.#file = openSync(path, 'a', 0o600)
    this.#delays = new DelayRecorder(path, flags)
  }

  /**
   * Starts a cassette, replacing an existing one.
   *
   * @throws CassetteError if a file of another kind exists
   */
  static create(
    path: string,
    { rules, maskedUrls }: { rules: CassetteRules; maskedUrls: readonly string[] },
  ): CassetteWriter {
    refuseForeignFile(path)
    mkdirSync(dirname(path), { recursive: true })
    const header: CassetteHeader = { rules, tags: {} }
    writeFileSync(path, `${formatHeader(header)}\n`, { mode: 0o600 })
    return new CassetteWriter({ path, header }, { flags: 'w', maskedUrls })
  }

  /** Appends to a cassette, keeping its rules. */
  static append(cassette: CassetteReader, maskedUrls: readonly string[]): CassetteWriter {
    return new CassetteWriter(cassette, { flags: 'a', maskedUrls })
  }

  /**
   * Records an answer to a call.
   *
   * @param prefix - start of the call's lines, see linePrefix
   * @param milliseconds - how long it took
   * @param after - see CassetteEntry
   * @returns its place among all answers
   */
  add(prefix: string, outcome: RecordedOutcome, milliseconds: number, after = 0): Awaitable<number> {
    const nth = ++this.#last
    return whenReady(this.#write(prefix, { nth, after, outcome }, milliseconds), () => nth)
  }

  /**
   * Records an event of the subscription opened by the `nth` answer.
   *
   * @param milliseconds - since the previous event
   */
  addEvent(prefix: string, nth: number, outcome: SubscriptionEvent, milliseconds: number): Awaitable<void> {
    return this.#write(prefix, { nth, outcome }, milliseconds)
  }

  /** Returns the numbers that a network's block tags stand for; see CassetteRules.pinBlockTags. */
  tagsOf(network: string): Readonly<Record<string, string>> {
    return this.#header.tags[network] ?? {}
  }

  /** Records what a block tag stands for. @param number - a quantity */
  pinTag(network: string, tag: string, number: string): Awaitable<void> {
    const pin = { network, tag, number }
    this.#header = withPin(this.#header, pin)
    return this.#inOrder(this.#appending([formatPin(pin)]))
  }

  /** Ends recording. The file is sorted while other requests get their turns. */
  async close(): Promise<void> {
    await this.#writing
    closeSync(this.#file)
    this.#delays.close()
    await closeCassette(this.path)
  }

  #write(prefix: string, answer: Omit<CassetteEntry, 'call'>, milliseconds: number): Awaitable<void> {
    return this.#inOrder(this.#writingSteps(prefix, answer, milliseconds))
  }

  *#writingSteps(prefix: string, answer: Omit<CassetteEntry, 'call'>, milliseconds: number): Steps<void> {
    const { nth, outcome } = answer
    const pieces = [prefix, formatPlace(answer)]
    for (const piece of yield* outcomePieces(outcome)) pieces.push(yield* this.mask.inSteps(piece))
    yield* this.#appending(pieces)
    const event = 'event' in outcome ? outcome.event : undefined
    this.#delays.add({ call: yield* prefixHash(prefix), place: nth, event }, milliseconds)
  }

  /** Appends a line given in pieces: a long one in several steps, which leave nothing of it if one of them fails. */
  *#appending(pieces: readonly string[]): Steps<void> {
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
    if (length <= STRING_AT_ONCE) {
      writeWhole(this.#file, Buffer.from(`${pieces.join('')}\n`))
      return
    }
    const start = fstatSync(this.#file).size
    try {
      for (const piece of pieces) {
        for (const part of partsOf(piece)) {
          writeWhole(this.#file, Buffer.from(part))
          yield
        }
      }
      writeWhole(this.#file, Buffer.from('\n'))
    } catch (error) {
      ftruncateSync(this.#file, start)
      throw error
    }
  }

  /** Runs steps after those begun before: at once if none are in progress and there is time for all. */
  #inOrder(steps: Steps<void>): Awaitable<void> {
    const before = this.#writing
    // A short line is one step.
    if (before === undefined && steps.next().done === true) return undefined
    const done =
      before === undefined
        ? runWithin(steps, new TimeSlice())
        : before.then(() => runInSlices(steps, new TimeSlice()))
    if (!(done instanceof Promise)) return
    const settled = done.then(ignore, ignore).then(() => {
      if (this.#writing === settled) this.#writing = undefined
    })
    this.#writing = settled
    return done
  }
}

function ignore(): void {
  // The line's own caller receives its error.
}

function refuseForeignFile(path: string): void {
  if (!existsSync(path)) return
  const [first] = readLines(path)
  if (first !== undefined) parseHeader(first.bytes.toString('utf8'), path)
}
