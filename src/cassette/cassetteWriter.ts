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
 * A cassette being recorded. Every entry is one append, which survives a killed process; {@link close} sorts the file
 * and numbers the answers to equal calls.
 */
export class CassetteWriter {
  readonly path: string
  readonly rules: CassetteRules
  readonly #file: number
  readonly #delays: DelayRecorder
  /** Masks keys in the provider's URLs. */
  readonly mask: (text: string) => string
  #header: CassetteHeader
  /** Place of the last answer among all answers. */
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
  add(prefix: string, outcome: RecordedOutcome, milliseconds: number, after = 0): number {
    const nth = ++this.#last
    this.#write(prefix, { nth, after, outcome }, milliseconds)
    return nth
  }

  /**
   * Records an event of the subscription opened by the `nth` answer.
   *
   * @param milliseconds - since the previous event
   */
  addEvent(prefix: string, nth: number, outcome: SubscriptionEvent, milliseconds: number): void {
    this.#write(prefix, { nth, outcome }, milliseconds)
  }

  /** Returns the numbers that a network's block tags stand for; see CassetteRules.pinBlockTags. */
  tagsOf(network: string): Readonly<Record<string, string>> {
    return this.#header.tags[network] ?? {}
  }

  /** Records what a block tag stands for. @param number - a quantity */
  pinTag(network: string, tag: string, number: string): void {
    const pin = { network, tag, number }
    this.#header = withPin(this.#header, pin)
    writeWhole(this.#file, Buffer.from(`${formatPin(pin)}\n`))
  }

  /** Ends recording. The file is sorted while other requests get their turns. */
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
