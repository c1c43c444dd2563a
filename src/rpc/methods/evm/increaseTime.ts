import { InvalidParamsError } from '../../errors.js'
import { defineMethod, required } from '../../method.js'
import { controlNumber, controlUint64 } from '../../params/numbers.js'
import type { Decoder } from '../../params/combinators.js'

/** An offset in seconds. Like in ganache, it may be negative or a fraction, which is rounded. */
const seconds: Decoder<bigint> = {
  schema: { title: 'seconds', anyOf: [controlNumber.schema, { type: 'number' }] },
  decode(value) {
    const isNumber = typeof value === 'number' && Number.isFinite(value)
    return isNumber ? BigInt(Math.round(value)) : controlUint64.decode(value)
  },
}

/**
 * evm_increaseTime: moves the clock by n seconds and returns its total offset: a number, in hardhat a decimal string.
 * Only ganache allows moving it back.
 */
export const increaseTime = defineMethod(
  'evm_increaseTime',
  [required('seconds', seconds)],
  async ({ backend }, by) => {
    const { clockMayGoBack, returnsTimeAsDecimalString } = backend.settings.compatibility
    if (by < 0n && !clockMayGoBack) {
      throw new InvalidParamsError(
        `invalid argument 0: expected a number or a hexadecimal or decimal string, got ${by}`,
      )
    }
    const offset = await backend.controls.increaseTime(by)
    return returnsTimeAsDecimalString ? offset.toString() : Number(offset)
  },
)
