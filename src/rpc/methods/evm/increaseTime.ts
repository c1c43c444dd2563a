import { InvalidParamsError } from '../../errors.js'
import { defineMethod, required } from '../../method.js'
import { controlNumber, controlUint64 } from '../../params/numbers.js'
import type { Decoder } from '../../params/combinators.js'

/** Seconds to move a clock by: as ganache takes them, also a fraction, which is rounded, and less than zero. */
export const seconds: Decoder<bigint> = {
  schema: { title: 'seconds', anyOf: [controlNumber.schema, { type: 'number' }] },
  decode(value) {
    const isNumber = typeof value === 'number' && Number.isFinite(value)
    return isNumber ? BigInt(Math.round(value)) : controlUint64.decode(value)
  },
}

/**
 * evm_increaseTime: moves the clock by seconds and answers how many it is ahead altogether: a number, in hardhat a
 * decimal string. Only ganache moves it back.
 */
export const increaseTime = defineMethod(
  'evm_increaseTime',
  [required('seconds', seconds)],
  async ({ backend }, by) => {
    const { clockMayGoBack, returnsTimeAsDecimalText } = backend.settings.compatibility
    if (by < 0n && !clockMayGoBack) {
      throw new InvalidParamsError(
        `invalid argument 0: expected a number or a hexadecimal or decimal string, got ${by}`,
      )
    }
    const offset = await backend.controls.increaseTime(by)
    return returnsTimeAsDecimalText ? offset.toString() : Number(offset)
  },
)
