import { closeSync, existsSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { createMask } from '../encoding/maskUrl.js'
import type { CassetteReader } from './cassetteReader.js'
import { closeCassette } from './closing.js'
import { DelayRecorder } from './delays.js'
import {
  type CassetteEntry,
  type RecordedOutcome,
  type SubscriptionEvent,
  formatAnswer,
  prefixHash,
} from './entry.js'
import { formatHeader, formatPin, parseHeader, withPin, type CassetteHeader } from './header.js'
import { readLines, writeWhole } from './lines.js'
import type { CassetteRules } from './rules.js'

/**
 * A cassette that is being recorded. Every entry is one append that a killed process does not lose; {@link close} sorts the
 * file and counts the places of equal calls.
 */
export class CassetteWriter {
  readonly path: string
  readonly rules: CassetteRules
  readonly #file: number
  readonly #delays: DelayRecorder
  /** Masks keys of the provider's URLs. */
  readonly mask: (text: string) => string
  #header: CassetteHeader
  /** The place of the last answer among all of them. */
  #last: number

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
   * Begins a cassette; an existing one is replaced.
   *
   * @throws CassetteError if there is a file of another kind
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

  /** Adds to a cassette; its rules hold. */
  static append(cassette: CassetteReader, maskedUrls: readonly string[]): CassetteWriter {
    return new CassetteWriter(cassette, { flags: 'a', maskedUrls })
  }

  /**
   * Keeps an answer to a call.
   *
   * @param prefix - the beginning of the call's lines, see linePrefix
   * @param milliseconds - how long it took
   * @param after - see CassetteEntry
   * @returns its place among all answers
   */
  add(prefix: string, outcome: RecordedOutcome, milliseconds: number, after = 0): number {
    const nth = ++this.#last
    this.#write(prefix, { nth, after, outcome }, milliseconds)
    return nth
  }

  /**
   * Keeps an event of the subscription that is the `nth` answer.
   *
   * @param milliseconds - since the one before it
   */
  addEvent(prefix: string, nth: number, outcome: SubscriptionEvent, milliseconds: number): void {
    this.#write(prefix, { nth, outcome }, milliseconds)
  }

  /** Numbers that block tags of a network stand for; see CassetteRules.pinBlockTags. */
  tagsOf(network: string): Readonly<Record<string, string>> {
    return this.#header.tags[network] ?? {}
  }

  /** Keeps what a block tag stands for. @param number - a quantity */
  pinTag(network: string, tag: string, number: string): void {
    const pin = { network, tag, number }
    this.#header = withPin(this.#header, pin)
    writeWhole(this.#file, Buffer.from(`${formatPin(pin)}\n`))
  }

  /** Ends recording. Other requests have their turns while the file is sorted. */
  async close(): Promise<void> {
    closeSync(this.#file)
    this.#delays.close()
    await closeCassette(this.path)
  }

  #write(prefix: string, answer: Omit<CassetteEntry, 'call'>, milliseconds: number): void {
    const { nth, outcome } = answer
    const text = this.mask(formatAnswer(answer))
    writeWhole(this.#file, Buffer.from(`${prefix}${text}\n`))
    const event = 'event' in outcome ? outcome.event : undefined
    this.#delays.add({ call: prefixHash(prefix), place: nth, event }, milliseconds)
  }
}

function refuseForeignFile(path: string): void {
  if (!existsSync(path)) return
  const [first] = readLines(path)
  if (first !== undefined) parseHeader(first.bytes.toString('utf8'), path)
}
