/** The last millisecond of the year 9999: later times have no place in a date of four digits. */
export const LATEST_TIME = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** The clock that quotas run on; it is not the chain's, and may be set without touching any chain. */
export class QuotaClock {
  #offset = 0
  #frozenAt: number | undefined

  /** Milliseconds since 1970. */
  now(): number {
    return this.#frozenAt ?? Date.now() + this.#offset
  }

  /** Moves the clock to a time; it goes on from there unless it is frozen. */
  set(time: number, { frozen = false }: { frozen?: boolean } = {}): void {
    this.#offset = time - Date.now()
    this.#frozenAt = frozen ? time : undefined
  }

  /** Moves the clock forward. */
  advance(milliseconds: number): void {
    this.set(this.now() + milliseconds, { frozen: this.frozen })
  }

  get frozen(): boolean {
    return this.#frozenAt !== undefined
  }

  /** Back to the time of the system. */
  reset(): void {
    this.#offset = 0
    this.#frozenAt = undefined
  }
}
