import type { MiningInterval } from '../../chain/mining/schedule.js'
import type { Decoder } from './parameter.js'
import { controlNumber } from './controlNumber.js'
import { ReasonError } from './decodeError.js'

/** The time between blocks that are mined by the clock: a number, or a pair of the least and the most. */
export const miningInterval: Decoder<MiningInterval> = {
  schema: {
    title: 'interval',
    anyOf: [controlNumber.schema, { type: 'array', items: controlNumber.schema, minItems: 2, maxItems: 2 }],
  },
  decode(value) {
    if (!Array.isArray(value)) return Number(controlNumber.decode(value))
    const [least = 0, most = 0] = value.map((item) => Number(controlNumber.decode(item)))
    if (value.length !== 2 || least > most) throw new ReasonError('expected a pair of the least and the most')
    return [least, most]
  },
}
