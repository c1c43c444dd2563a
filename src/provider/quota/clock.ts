import { InvalidParamsError } from '../../rpc/errors.js'
import { type Method, defineMethod, required } from '../../rpc/method.js'
import type { Decoder } from '../../rpc/params/combinators.js'

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

const when: Decoder<number> = {
  schema: {
    title: 'time: seconds since 1970, or a date and time',
    oneOf: [{ type: 'number' }, { type: 'string' }],
  },
  decode(value) {
    const milliseconds = typeof value === 'number' ? value * 1000 : Date.parse(String(value))
    if (!(milliseconds >= 0 && milliseconds <= LATEST_TIME)) {
      throw new InvalidParamsError(
        'expected seconds since 1970, or a date and time such as 2030-01-01T00:00:00Z, up to the year 9999',
      )
    }
    return milliseconds
  },
}

/**
 * standin_setQuotaTime: sets the clock that quotas run on, for every key and network; no chain is touched.
 *
 * The answer is the time in seconds.
 */
export function setQuotaTime(clock: QuotaClock): Method {
  return defineMethod('standin_setQuotaTime', [required('time', when)], (_call, time) => {
    clock.set(time, { frozen: clock.frozen })
    return Math.floor(clock.now() / 1000)
  })
}
