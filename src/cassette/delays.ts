import { closeSync, existsSync, openSync, writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { CassetteError, readLines } from './lines.js'

/**
 * Where the delays of a cassette's answers are kept: they differ from run to run, and a cassette should differ only where
 * the provider's answers do.
 */
export function delaysPath(path: string): string {
  return `${path}.delays`
}

/** An answer: which one of its call, counted from 1 with every repetition, and which notification behind it, if one is meant. */
export interface AnswerPlace {
  /** A hash of the call. */
  call: string
  place: number
  event?: number
}

/** Keeps how long answers took. */
export class DelayRecorder {
  readonly #file: number

  /** @param flags - `w` begins anew, `a` adds */
  constructor(path: string, flags: 'w' | 'a') {
    this.#file = openSync(delaysPath(path), flags, 0o600)
  }

  add({ call, place, event }: AnswerPlace, milliseconds: number): void {
    const line = JSON.stringify({ call, place, event, ms: Math.round(milliseconds) })
    writeSync(this.#file, `${line}\n`)
  }

  close(): void {
    closeSync(this.#file)
  }
}

/** The delays of a cassette, scaled. */
export class Delays {
  /** Whether answers wait at all. */
  readonly areKept: boolean
  readonly #milliseconds = new Map<string, number>()

  /**
   * @param scale - by what delays are multiplied: 0 drops them, 1 keeps them
   * @throws CassetteError if the file of delays cannot be read
   */
  constructor(path: string, scale: number) {
    this.areKept = scale !== 0
    if (scale === 0 || !existsSync(delaysPath(path))) return
    let number = 0
    for (const { bytes, isComplete } of readLines(delaysPath(path))) {
      number++
      try {
        const { ms, ...place } = JSON.parse(Buffer.from(bytes).toString('utf8')) as AnswerPlace & {
          ms: number
        }
        this.#milliseconds.set(keyOf(place), ms * scale)
      } catch {
        // A recorder that was killed may leave half a line at the end.
        if (isComplete) throw new CassetteError(delaysPath(path), 'is not valid JSON', number)
      }
    }
  }

  /** Waits as long as an answer took. */
  async wait(place: AnswerPlace): Promise<void> {
    const milliseconds = this.#milliseconds.get(keyOf(place))
    if (milliseconds !== undefined) await sleep(milliseconds)
  }
}

function keyOf({ call, place, event }: AnswerPlace): string {
  return event === undefined ? `${call} ${place}` : `${call} ${place} ${event}`
}
