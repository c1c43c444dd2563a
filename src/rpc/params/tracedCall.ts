import type { Decoder } from './parameter.js'
import { callObject, type CallArguments } from './callObject.js'
import { ReasonError } from './decodeError.js'
import { inPieces } from './inPieces.js'
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
    const [transaction, types] = pairOf(value)
    return { transaction: callObject.decode(transaction), types: traceTypes.decode(types) }
  },
  *decodeInPieces(value) {
    const [transaction, types] = pairOf(value)
    return { transaction: yield* inPieces(callObject, transaction), types: traceTypes.decode(types) }
  },
}

function pairOf(value: unknown): unknown[] {
  if (Array.isArray(value) && value.length === 2) return value
  throw new ReasonError('expected a pair of a call object and an array of trace types')
}
