/** Messages that may be in work at once before a connection is read no further. */
const maxInWork = 1000
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

/** Holds a connection back while too much of what it asked is in work, or too much of the answers waits to be read. */
export class Backlog {
  readonly #source: BacklogSource
  #inWork = 0

  constructor(source: BacklogSource) {
    this.#source = source
  }

  /** Counts a message as in work while it is. @param report - told of what the work throws */
  handle(work: () => void | Promise<void>, report: (fault: unknown) => void): void {
    this.begin()
    try {
      const working = work()
      if (working === undefined) this.finish()
      else working.catch(report).finally(() => this.finish())
    } catch (fault) {
      report(fault)
      this.finish()
    }
  }

  /** A message has come. */
  begin(): void {
    this.#inWork += 1
    if (this.#isFull()) this.#source.pause()
  }

  /** A message is answered. */
  finish(): void {
    this.#inWork -= 1
    this.resume()
  }

  /** Reads on if there is room again; to be called when bytes have left. */
  resume(): void {
    if (this.#source.isPaused && !this.#isFull()) this.#source.resume()
  }

  #isFull(): boolean {
    return this.#inWork >= maxInWork || this.#source.waitingBytes > maxWaiting
  }
}
