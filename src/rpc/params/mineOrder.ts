import type { Decoder } from './parameter.js'
import { controlNumber } from './controlNumber.js'
import { struct } from './struct.js'

/** What evm_mine is asked for. */
export interface MineOrder {
  blocks: number
  /** Seconds. */
  timestamp?: bigint | undefined
}

const order = struct(
  { struct: 'MineOptions', type: 'MineOptions' },
  { blocks: controlNumber, timestamp: controlNumber },
)

/** A timestamp, or an object with `timestamp` and `blocks`: what the clients of all development nodes send. */
export const mineOrder: Decoder<MineOrder> = {
  schema: { anyOf: [controlNumber.schema, order.schema] },
  decode(value) {
    if (typeof value !== 'object') return { blocks: 1, timestamp: controlNumber.decode(value) }
    const { blocks = 1n, timestamp } = order.decode(value)
    return { blocks: Number(blocks), timestamp }
  },
}
