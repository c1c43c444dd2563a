// Imported, so that it keeps working when a test replaces the global timers.
import { setImmediate } from 'node:timers'
import { type Awaitable, lanes, turnIn } from '../encoding/timeSlice.js'

/** Maximum and initial number of messages in progress. */
const MAX_IN_PROGRESS = 256
const INITIAL_IN_PROGRESS = 8
/** Maximum unsent answer bytes before a connection is read no further. */
const MAX_UNSENT_BYTES = 16 * 1024 * 1024
/** Answers of at least this many bytes lower the number of messages in progress. */
const LARGE_ANSWER = 64 * 1024
/** Maximum number of queued messages before the connection is paused. */
const MAX_KEPT = 64

/** What a backlog needs of its connection. */
export interface BacklogSource {
  pause(): void
  resume(): void
  readonly isPaused: boolean
  /** Unsent answer bytes. */
  readonly waitingBytes: number
}

interface Message {
  work: () => Awaitable<void>
  report: (fault: unknown) => void
}

/**
 * Holds a connection back while too many of its messages are in progress or too many answer bytes are unsent.
 *
 * A message starts when the previous one has been answered, or in the next turn of the event loop if that takes longer,
 * so that the size of an answer is known before the next one is computed. The number of messages in progress grows with
 * each small answer; a large one lowers it to as many as fit into the unsent bytes allowed.
 */
export class Backlog {
  readonly #source: BacklogSource
  #waiting: Message[] = []
  #inProgress = 0
  #maxInProgress = INITIAL_IN_PROGRESS
  /** Counts turns of the event loop in which messages start. */
  #turn = 0
  #isTurnPlanned = false
  /** Whether a message that started in this turn is unanswered. */
  #isBusy = false
  #isDraining = false

  constructor(source: BacklogSource) {
    this.#source = source
  }

  /** Starts work on a message, or queues it until there is room. @param report - receives what the work throws */
  handle(work: () => Awaitable<void>, report: (fault: unknown) => void): void {
    this.#waiting.push({ work, report })
    if (this.#waiting.length > MAX_KEPT) this.#source.pause()
    this.resume()
  }

  /** Reports the size of an answer in bytes. */
  answered(bytes: number): void {
    if (bytes < LARGE_ANSWER) return
    this.#maxInProgress = Math.max(1, Math.min(this.#maxInProgress, Math.floor(MAX_UNSENT_BYTES / bytes)))
  }

  /** Continues if there is room again. Call this when bytes have been sent. */
  resume(): void {
    if (this.#isDraining) return
    this.#isDraining = true
    while (this.#waiting.length > 0 && !this.#isBusy && !this.#isFull()) {
      const pause = turnIn(() => lanes.messages)
      if (pause !== undefined) {
        void pause.then(() => {
          this.#isDraining = false
          this.resume()
        })
        return
      }
      this.#begin(this.#waiting.shift() as Message)
    }
    this.#isDraining = false
    if (this.#isFull()) this.#source.pause()
    if (this.#isFull() || this.#waiting.length > 0) return
    if (this.#source.isPaused) this.#source.resume()
  }

  /** Drops queued messages, because the connection is about to close. */
  clear(): void {
    this.#waiting = []
  }

  #begin({ work, report }: Message): void {
    this.#inProgress += 1
    const turn = this.#turn
    try {
      const working = work()
      if (working === undefined) this.#finish()
      else {
        this.#isBusy = true
        this.#planTurn()
        working.catch(report).finally(() => {
          if (turn === this.#turn) this.#isBusy = false
          this.#finish()
        })
      }
    } catch (fault) {
      report(fault)
      this.#finish()
    }
  }

  #planTurn(): void {
    if (this.#isTurnPlanned) return
    this.#isTurnPlanned = true
    setImmediate(() => {
      this.#isTurnPlanned = false
      this.#turn += 1
      this.#isBusy = false
      this.resume()
    })
  }

  #finish(): void {
    this.#inProgress -= 1
    if (this.#source.waitingBytes <= MAX_UNSENT_BYTES)
      this.#maxInProgress = Math.min(MAX_IN_PROGRESS, this.#maxInProgress + 1)
    this.resume()
  }

  #isFull(): boolean {
    return this.#inProgress >= this.#maxInProgress || this.#source.waitingBytes > MAX_UNSENT_BYTES
  }
}
