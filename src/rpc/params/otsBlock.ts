import type { BlockSelector } from '../../chain/view.js'
import type { Decoder } from './parameter.js'
import { blockSelector } from './blockSelector.js'
import { controlNumber } from './controlNumber.js'

/** A block as Otterscan names it: as everywhere else, or by a JSON number. */
export const otsBlock: Decoder<BlockSelector> = {
  schema: { anyOf: [...[blockSelector.schema], { type: 'integer', minimum: 0 }] },
  decode: (value) =>
    typeof value === 'number' ? { number: controlNumber.decode(value) } : blockSelector.decode(value),
}
