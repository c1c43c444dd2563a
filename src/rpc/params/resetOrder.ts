import type { ForkTarget } from '../controls.js'
import type { Decoder } from './parameter.js'
import { controlNumber } from './controlNumber.js'
import { struct } from './struct.js'
import { httpUrl } from './httpUrl.js'

const forking = struct(
  { struct: 'Forking', type: 'Forking' },
  { jsonRpcUrl: httpUrl, blockNumber: controlNumber },
)
const order = struct({ struct: 'ResetOptions', type: 'ResetOptions' }, { forking })

/** The options of a reset. Empty objects and nulls in them mean the same as no options. */
export const resetOrder: Decoder<ForkTarget> = {
  schema: order.schema,
  decode(value) {
    const { forking: given } = order.decode(value)
    return { url: given?.jsonRpcUrl, blockNumber: given?.blockNumber }
  },
}
