import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { CassetteReader } from './cassetteReader.js'
import { closeCassette } from './closing.js'
import { DelayRecorder } from './delays.js'
import {
  callHash,
  formatEntry,
  type CassetteEntry,
  type RecordedCall,
  type RecordedOutcome,
} from './entry.js'
import { formatHeader, type CassetteHeader } from './header.js'
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
  readonly #tags: Record<string, Record<string, string>>
  /** How many answers each call has, by a hash of the call. */
  readonly #places = new Map<string, number>()

  private constructor(path: string, { rules, tags }: CassetteHeader, flags: 'w' | 'a') {
    this.path = path
    this.rules = rules
    this.#file = openSync(path, 'a', 0o600)
    this.#delays = new DelayRecorder(path, flags)
    this.#tags = structuredClone(tags) as Record<string, Record<string, string>>
  }

  /** Begins a cassette; an existing file is replaced. */
  static create(path: string, rules: CassetteRules): CassetteWriter {
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
   * @returns its place among the answers to equal calls, from 1
   */
  add(call: RecordedCall, outcome: RecordedOutcome, milliseconds: number): number {
    const hash = callHash(call)
    const nth = (this.#places.get(hash) ?? 0) + 1
    this.#places.set(hash, nth)
    this.#write({ call, nth, outcome })
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
  tagsOf(network: string): Record<string, string> {
    return (this.#tags[network] ??= {})
  }

  /** Ends recording. */
  close(): void {
    closeSync(this.#file)
    this.#delays.close()
    closeCassette(this.path, { rules: this.rules, tags: this.#tags })
  }

  #write(entry: CassetteEntry): void {
    writeSync(this.#file, `${formatEntry(entry)}\n`)
  }
}
