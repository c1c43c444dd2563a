import type { Decoder } from '../method.js'
import { controlNumber } from './controlNumber.js'
import { struct } from './struct.js'
import { text } from './text.js'

/** What a reset is asked for. */
export interface ResetOrder {
  /** Of a node to go on from. */
  url?: string | undefined
  blockNumber?: bigint | undefined
}

const forking = struct(
  { struct: 'Forking', type: 'Forking' },
  { jsonRpcUrl: text('string', 'URL'), blockNumber: controlNumber },
)
const order = struct({ struct: 'ResetOptions', type: 'ResetOptions' }, { forking })

/** The options of a reset. Empty objects and nulls in them mean the same as no options. */
export const resetOrder: Decoder<ResetOrder> = {
  schema: order.schema,
  decode(value) {
    const { forking: given } = order.decode(value)
    return { url: given?.jsonRpcUrl, blockNumber: given?.blockNumber }
  },
}
