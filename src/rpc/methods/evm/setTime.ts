import { defineMethod, required } from '../../method.js'
import { controlNumber } from '../../params/numbers.js'

/** Larger times must be in milliseconds. */
const FIRST_MILLISECONDS = 1_000_000_000_000n

/**
 * evm_setTime: sets the clock, which keeps running, and returns how many seconds it moved. The time is in seconds, or
 * in milliseconds if as seconds it would be beyond the year 33,658; in ganache it is always in milliseconds, and the
 * answer may be negative.
 */
export const setTime = defineMethod(
  'evm_setTime',
  [required('time', controlNumber)],
  async ({ backend }, time) => {
    const { setTimeTakesMilliseconds, clockMayGoBack } = backend.settings.compatibility
    const isMilliseconds = setTimeTakesMilliseconds || time > FIRST_MILLISECONDS
    const moved = Number(await backend.controls.setTime(isMilliseconds ? time / 1000n : time))
    return clockMayGoBack ? moved : Math.max(0, moved)
  },
)
