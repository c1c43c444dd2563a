import { defineMethod, required } from '../../method.js'
import { controlNumber } from '../../params/numbers.js'

/** More than this many cannot be seconds. */
const FIRST_MILLISECONDS = 1_000_000_000_000n

/**
 * evm_setTime: sets the clock, which runs on from there, and answers by how many seconds it moved. The time is in
 * seconds, or in milliseconds where seconds would be beyond the year 33,658; in ganache always in milliseconds, and
 * the answer may be below zero.
 */
export const setTime = defineMethod(
  'evm_setTime',
  [required('time', controlNumber)],
  async ({ backend }, time) => {
    const { setsTimeInMilliseconds, clockMayGoBack } = backend.settings.compatibility
    const isMilliseconds = setsTimeInMilliseconds || time > FIRST_MILLISECONDS
    const moved = Number(await backend.controls.setTime(isMilliseconds ? time / 1000n : time))
    return clockMayGoBack ? moved : Math.max(0, moved)
  },
)
