/** Messages that may be in work at once, at most and at least. */
const maxInWork = 1000
const minInWork = 8
/** With how many a connection begins: the answers of all of them may come at once, and each may have megabytes. */
const firstInWork = 64
/** Answer bytes that may wait for a slow reader before a connection is read no further. */
const maxWaiting = 16 * 1024 * 1024

/** What a backlog asks of its connection and does to it. */
export interface BacklogSource {
  pause(): void
  resume(): void
  readonly isPaused: boolean
  /** Answer bytes that have not left yet. */
  readonly waitingBytes: number
}

/**
 * Holds a connection back while too much of what it asked is in work, or too much of the answers waits to be read.
 *
 * How much may be in work at once grows with each answer that leaves, and is halved while answers wait: nobody knows how
 * long an answer is before it is made, and all that are in work are made even if nobody reads them.
 */
export class Backlog {
  readonly #source: BacklogSource
  readonly #waiting: (() => void)[] = []
  #inWork = 0
  #mostInWork = firstInWork
  #isResuming = false

  constructor(source: BacklogSource) {
    this.#source = source
  }

  /** Begins the work on a message, or keeps it until there is room. @param report - told of what the work throws */
  handle(work: () => void | Promise<void>, report: (fault: unknown) => void): void {
    if (this.#isFull() || this.#waiting.length > 0) {
      this.#waiting.push(() => this.#begin(work, report))
      this.#source.pause()
    } else this.#begin(work, report)
  }

  #begin(work: () => void | Promise<void>, report: (fault: unknown) => void): void {
    this.#inWork += 1
    if (this.#isFull()) this.#source.pause()
    try {
      const working = work()
      if (working === undefined) this.#finish()
      else working.catch(report).finally(() => this.#finish())
    } catch (fault) {
      report(fault)
      this.#finish()
    }
  }

  #finish(): void {
    this.#inWork -= 1
    const isSlow = this.#source.waitingBytes > maxWaiting
    this.#mostInWork = isSlow
      ? Math.max(minInWork, this.#mostInWork >> 1)
      : Math.min(maxInWork, this.#mostInWork + 1)
    this.resume()
  }

  /** Goes on if there is room again; to be called when bytes have left. */
  resume(): void {
    if (this.#isResuming) return
    this.#isResuming = true
    while (this.#waiting.length > 0 && !this.#isFull()) this.#waiting.shift()?.()
    this.#isResuming = false
    if (this.#source.isPaused && this.#waiting.length === 0 && !this.#isFull()) this.#source.resume()
  }

  #isFull(): boolean {
    return this.#inWork >= this.#mostInWork || this.#source.waitingBytes > maxWaiting
  }
}
