import type { Decoder } from './parameter.js'
import { callObject, type CallArguments } from './callObject.js'
import { ReasonError } from './decodeError.js'
import { traceTypes, type TraceType } from './traceTypes.js'

/** A call and which parts of its trace are asked for. */
export interface TracedCallArguments {
  transaction: CallArguments
  types: ReadonlySet<TraceType>
}

/** A pair of a call object and trace types. */
export const tracedCall: Decoder<TracedCallArguments> = {
  schema: {
    title: 'call and trace types',
    type: 'array',
    prefixItems: [callObject.schema, traceTypes.schema],
    minItems: 2,
    maxItems: 2,
  },
  decode(value) {
    if (!Array.isArray(value) || value.length !== 2) {
      throw new ReasonError('expected a pair of a call object and an array of trace types')
    }
    const [transaction, types]: unknown[] = value
    return { transaction: callObject.decode(transaction), types: traceTypes.decode(types) }
  },
}
