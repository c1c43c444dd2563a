import type { MiningInterval } from '../../../chain/mining/schedule.js'
import { RpcError } from '../../errors.js'
import { defineMethod, required } from '../../method.js'
import { type Decoder, ReasonError } from '../../params/combinators.js'
import { controlNumber } from '../../params/numbers.js'

/** Time between blocks of interval mining: a number, or a pair of minimum and maximum. */
const miningInterval: Decoder<MiningInterval> = {
  schema: {
    title: 'interval',
    anyOf: [controlNumber.schema, { type: 'array', items: controlNumber.schema, minItems: 2, maxItems: 2 }],
  },
  decode(value) {
    if (!Array.isArray(value)) return Number(controlNumber.decode(value))
    if (value.length !== 2) throw new ReasonError('expected a pair of minimum and maximum')
    const [minimum = 0, maximum = 0] = value.map((item) => Number(controlNumber.decode(item)))
    if (minimum > maximum) throw new RpcError(-32602, 'Minimum value in range is greater than maximum value')
    return [minimum, maximum]
  },
}

/**
 * evm_setIntervalMining: mines a block every n seconds; 0 stops it. In hardhat the unit is milliseconds. A pair of
 * numbers, always in milliseconds, means a random time between them.
 */
export const setIntervalMining = defineMethod(
  'evm_setIntervalMining',
  [required('interval', miningInterval)],
  async ({ backend }, interval) => {
    const { miningIntervalUnit: unit } = backend.settings.compatibility
    await backend.controls.setIntervalMining(typeof interval === 'number' ? interval * unit : interval)
    return null
  },
)
