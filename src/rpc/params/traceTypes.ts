import { ReasonError } from './decodeError.js'
import type { Decoder } from './combinators.js'

/** What traces in Parity's form may consist of. */
export type TraceType = 'trace' | 'stateDiff' | 'vmTrace'

const types: readonly string[] = ['trace', 'stateDiff', 'vmTrace']

/** Which parts of a trace are asked for. */
export const traceTypes: Decoder<ReadonlySet<TraceType>> = {
  schema: { title: 'trace types', type: 'array', items: { enum: types } },
  decode(value) {
    if (!Array.isArray(value)) throw new ReasonError('expected an array of trace types')
    for (const type of value) {
      if (!types.includes(type as string)) throw new ReasonError(`unknown trace type ${JSON.stringify(type)}`)
    }
    return new Set(value as TraceType[])
  },
}
