import { InvalidParamsError } from '../../rpc/errors.js'
import { type Method, defineMethod, required } from '../../rpc/method.js'
import type { Decoder } from '../../rpc/params/combinators.js'

/** Last millisecond of the year 9999: later dates do not fit into four digits. */
export const LATEST_TIME = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** Clock of the quotas. It is independent of every chain's clock. */
export class QuotaClock {
  #offset = 0
  #frozenAt: number | undefined

  /** Returns milliseconds since 1970. */
  now(): number {
    return this.#frozenAt ?? Date.now() + this.#offset
  }

  /** Sets the clock, which continues from there unless frozen. */
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

  /** Restores the system time. */
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
 * standin_setQuotaTime: sets the quota clock for all keys and networks, without affecting any chain, and returns the
 * time in seconds.
 */
export function setQuotaTime(clock: QuotaClock): Method {
  return defineMethod('standin_setQuotaTime', [required('time', when)], (_call, time) => {
    clock.set(time, { frozen: clock.frozen })
    return Math.floor(clock.now() / 1000)
  })
}
