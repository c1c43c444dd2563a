import { closeSync, existsSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { CassetteReader } from './cassetteReader.js'
import { closeCassetteInTurns } from './closing.js'
import { DelayRecorder } from './delays.js'
import {
  callHash,
  formatEntry,
  type CassetteEntry,
  type RecordedCall,
  type RecordedOutcome,
} from './entry.js'
import { formatHeader, formatPin, parseHeader, withPin, type CassetteHeader } from './header.js'
import { readLines } from './lines.js'
import type { CassetteRules } from './rules.js'

/**
 * A cassette that is being recorded. Every entry is one append that a killed process does not lose; {@link close} sorts the
 * file.
 */
export class CassetteWriter {
  readonly path: string
  readonly rules: CassetteRules
  readonly #file: number
  readonly #delays: DelayRecorder
  #header: CassetteHeader
  /** How many answers each call has, by a hash of the call. */
  readonly #places = new Map<string, number>()

  private constructor(path: string, header: CassetteHeader, flags: 'w' | 'a') {
    this.path = path
    this.rules = header.rules
    this.#header = header
    this.#file = openSync(path, 'a', 0o600)
    this.#delays = new DelayRecorder(path, flags)
  }

  /**
   * Begins a cassette; an existing one is replaced.
   *
   * @throws CassetteError if there is a file of another kind
   */
  static create(path: string, rules: CassetteRules): CassetteWriter {
    refuseForeignFile(path)
    mkdirSync(dirname(path), { recursive: true })
    const header: CassetteHeader = { rules, tags: {} }
    writeFileSync(path, `${formatHeader(header)}\n`, { mode: 0o600 })
    return new CassetteWriter(path, header, 'w')
  }

  /** Adds to a cassette; its rules hold. */
  static append(path: string): CassetteWriter {
    const reader = CassetteReader.open(path)
    try {
      const writer = new CassetteWriter(path, reader.header, 'a')
      for (const { entry } of reader.entries()) {
        if ('event' in entry.outcome) continue
        const hash = callHash(entry.call)
        writer.#places.set(hash, (writer.#places.get(hash) ?? 0) + (entry.times ?? 1))
      }
      return writer
    } finally {
      reader.close()
    }
  }

  /**
   * Keeps an answer to a call.
   *
   * @param milliseconds - how long it took
   * @param after - see CassetteEntry
   * @returns its place among the answers to equal calls, from 1
   */
  add(call: RecordedCall, outcome: RecordedOutcome, milliseconds: number, after = 0): number {
    const hash = callHash(call)
    const nth = (this.#places.get(hash) ?? 0) + 1
    this.#places.set(hash, nth)
    this.#write({ call, nth, after, outcome })
    this.#delays.add({ call: hash, place: nth }, milliseconds)
    return nth
  }

  /**
   * Keeps a notification of the subscription that is the `nth` answer to a call.
   *
   * @param milliseconds - since the one before it
   */
  addEvent(
    call: RecordedCall,
    nth: number,
    outcome: Extract<RecordedOutcome, { event: number }>,
    milliseconds: number,
  ): void {
    this.#write({ call, nth, outcome })
    this.#delays.add({ call: callHash(call), place: nth, event: outcome.event }, milliseconds)
  }

  /** Numbers that block tags of a network stand for; see CassetteRules.pinBlockTags. */
  tagsOf(network: string): Readonly<Record<string, string>> {
    return this.#header.tags[network] ?? {}
  }

  /** Keeps what a block tag stands for. @param number - a quantity */
  pinTag(network: string, tag: string, number: string): void {
    const pin = { network, tag, number }
    this.#header = withPin(this.#header, pin)
    writeSync(this.#file, `${formatPin(pin)}\n`)
  }

  /** Ends recording. Other requests have their turns while the file is sorted. */
  async close(): Promise<void> {
    closeSync(this.#file)
    this.#delays.close()
    await closeCassetteInTurns(this.path)
  }

  #write(entry: CassetteEntry): void {
    writeSync(this.#file, `${formatEntry(entry)}\n`)
  }
}

function refuseForeignFile(path: string): void {
  if (!existsSync(path)) return
  const [first] = readLines(path)
  if (first !== undefined) parseHeader(Buffer.from(first.bytes).toString('utf8'), path)
}
