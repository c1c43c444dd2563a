import { closeSync, existsSync, openSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Steps, TimeSlice, atEndOfTurn, runInSlices } from '../encoding/timeSlice.js'
import { CassetteError, readLines, writeWhole } from './lines.js'

/**
 * Returns the path of the file with a cassette's delays. They are kept apart because they differ from run to run, and
 * a cassette should differ only where the provider's answers do.
 */
function delaysPath(path: string): string {
  return `${path}.delays`
}

/**
 * Identifies an answer by its number among those to its call, counted from 1 with every repetition, and optionally an
 * event after it.
 */
export interface AnswerPosition {
  /** Hash of the call. */
  call: string
  place: number
  event?: number | undefined
}

/** Records how long answers took. The lines of one turn of the event loop are written together. */
export class DelayRecorder {
  readonly #file: number
  #lines = ''

  /** @param flags - `w` starts over, `a` appends */
  constructor(path: string, flags: 'w' | 'a') {
    this.#file = openSync(delaysPath(path), flags, 0o600)
  }

  /** @param place - number among all answers; {@link Delays} converts it to one per call */
  add({ call, place, event }: AnswerPosition, milliseconds: number): void {
    if (this.#lines === '') atEndOfTurn(() => this.#flush())
    this.#lines += `${JSON.stringify({ call, place, event, ms: Math.round(milliseconds) })}\n`
  }

  close(): void {
    this.#flush()
    closeSync(this.#file)
  }

  #flush(): void {
    const bytes = Buffer.from(this.#lines)
    this.#lines = ''
    writeWhole(this.#file, bytes)
  }
}

/** Lines read in one step. */
const LINES_AT_ONCE = 256

/** Delays of a cassette, scaled. */
export class Delays {
  /** Whether answers are delayed at all. */
  readonly areKept: boolean
  readonly #milliseconds = new Map<string, number>()

  private constructor(scale: number) {
    this.areKept = scale !== 0
  }

  /**
   * Reads the delays of a cassette.
   *
   * @param scale - factor for delays: 0 drops them, 1 keeps them
   * @throws CassetteError if the file of delays cannot be read
   */
  static async open(path: string, scale: number): Promise<Delays> {
    const delays = new Delays(scale)
    const isRead = scale !== 0 && existsSync(delaysPath(path))
    if (isRead) await runInSlices(delays.#read(path, scale), new TimeSlice())
    return delays
  }

  *#read(path: string, scale: number): Steps<void> {
    /** Number of answers so far per call, and each answer's number within its call by its number among all. */
    const counts = new Map<string, number>()
    const places = new Map<string, number>()
    let number = 0
    for (const { bytes, isComplete } of readLines(delaysPath(path))) {
      if (++number % LINES_AT_ONCE === 0) yield
      const line = readLine(bytes.toString('utf8'))
      if (line === undefined) {
        // A killed recorder may leave half a line at the end.
        if (!isComplete) break
        throw new CassetteError(delaysPath(path), 'expected call, place and ms', number)
      }
      const { call, event, ms } = line
      if (event === undefined) {
        counts.set(call, (counts.get(call) ?? 0) + 1)
        places.set(keyOf(line), counts.get(call)!)
      }
      const place = places.get(keyOf({ call, place: line.place }))
      if (place !== undefined) this.#milliseconds.set(keyOf({ call, place, event }), ms * scale)
    }
  }

  /** Waits as long as an answer took. */
  async wait(place: AnswerPosition): Promise<void> {
    const milliseconds = this.#milliseconds.get(keyOf(place))
    if (milliseconds !== undefined) await sleep(milliseconds)
  }
}

function keyOf({ call, place, event }: AnswerPosition): string {
  return event === undefined ? `${call} ${place}` : `${call} ${place} ${event}`
}

function readLine(text: string): (AnswerPosition & { ms: number }) | undefined {
  try {
    const { call, place, event, ms } = JSON.parse(text) as Record<string, unknown>
    const isLine = typeof call === 'string' && typeof place === 'number' && typeof ms === 'number'
    return isLine ? { call, place, ms, event: typeof event === 'number' ? event : undefined } : undefined
  } catch {
    return undefined
  }
}
