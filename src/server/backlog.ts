// The imported one keeps working when a test replaces the global timers.
import { setImmediate } from 'node:timers'
import { TimeSlice } from '../encoding/timeSlice.js'

/** Messages that may be in work at once, at most and at first. */
const maxInWork = 256
const firstInWork = 8
/** Answer bytes that may wait for a slow reader before a connection is read no further. */
const maxWaiting = 16 * 1024 * 1024
/** Answer bytes from which on an answer lowers the number of messages in work. */
const largeAnswer = 64 * 1024
/** Messages that may be kept before the connection is paused. */
const maxKept = 64

/** What a backlog asks of its connection and does to it. */
export interface BacklogSource {
  pause(): void
  resume(): void
  readonly isPaused: boolean
  /** Answer bytes that have not left yet. */
  readonly waitingBytes: number
}

interface Message {
  work: () => void | Promise<void>
  report: (fault: unknown) => void
}

/**
 * Holds a connection back while too much of what it asked is in work, or too much of the answers waits to be read.
 *
 * A message begins when the one before it has been answered, or in the next turn of the event loop if that takes longer:
 * the size of an answer is known before the next is computed. The number of messages in work grows with each small
 * answer; a large one lowers it to as many as fit into the bytes that may wait.
 */
export class Backlog {
  readonly #source: BacklogSource
  #waiting: Message[] = []
  #inWork = 0
  #mostInWork = firstInWork
  #slice: TimeSlice | undefined
  /** Counts turns of the event loop in which messages begin. */
  #turn = 0
  #isTurnPlanned = false
  /** Whether a message that began in this turn is unanswered. */
  #isBusy = false
  #isDraining = false

  constructor(source: BacklogSource) {
    this.#source = source
  }

  /** Begins the work on a message, or keeps it until there is room. @param report - told of what the work throws */
  handle(work: () => void | Promise<void>, report: (fault: unknown) => void): void {
    this.#waiting.push({ work, report })
    if (this.#waiting.length > maxKept) this.#source.pause()
    this.resume()
  }

  /** Learns the size of an answer in bytes. */
  answered(bytes: number): void {
    if (bytes < largeAnswer) return
    this.#mostInWork = Math.max(1, Math.min(this.#mostInWork, Math.floor(maxWaiting / bytes)))
  }

  /** Goes on if there is room again; to be called when bytes have left. */
  resume(): void {
    if (this.#isDraining) return
    this.#isDraining = true
    while (this.#waiting.length > 0 && !this.#isBusy && !this.#isFull()) {
      const pause = (this.#slice ??= new TimeSlice()).pause()
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
    this.#slice = undefined
    if (this.#source.isPaused) this.#source.resume()
  }

  /** Drops what has not begun: the connection is about to end. */
  clear(): void {
    this.#waiting = []
  }

  #begin({ work, report }: Message): void {
    this.#inWork += 1
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
    this.#inWork -= 1
    if (this.#source.waitingBytes <= maxWaiting) this.#mostInWork = Math.min(maxInWork, this.#mostInWork + 1)
    this.resume()
  }

  #isFull(): boolean {
    return this.#inWork >= this.#mostInWork || this.#source.waitingBytes > maxWaiting
  }
}
