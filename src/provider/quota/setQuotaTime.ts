import { InvalidParamsError } from '../../rpc/errors.js'
import { type Method, defineMethod, required } from '../../rpc/method.js'
import type { Decoder } from '../../rpc/params/combinators.js'
import { LATEST_TIME, type QuotaClock } from './clock.js'

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
