import { type Decoder, KindMismatchError, ReasonError, struct } from './combinators.js'
import { boolean, text } from './bytes.js'
import { blockOverrides, stateOverride } from './callObject.js'
import { int, signedIndex } from './numbers.js'
import { shownValue } from './shownValue.js'

/** Each tracer decodes its own configuration. */
const raw: Decoder<unknown> = { schema: {}, decode: (value) => value }

/** Fork overrides: geth decodes them for every trace, and uses them only for traces that it writes to files. */
const chainConfig: Decoder<undefined> = {
  schema: { type: 'object' },
  decode(value) {
    if (value === null || (typeof value === 'object' && !Array.isArray(value))) return undefined
    throw KindMismatchError.of(value, 'params.ChainConfig')
  },
}

const fields = {
  tracer: text('string', 'tracer name'),
  tracerConfig: raw,
  timeout: text('string', 'duration'),
  enableMemory: boolean,
  /** Hardhat's; geth ignores it and so accepts any value. */
  disableMemory: raw,
  disableStack: boolean,
  disableStorage: boolean,
  enableReturnData: boolean,
  limit: int,
  overrides: chainConfig,
}

/** Members that Go embeds from the struct logger's options. */
const loggerMembers = [
  'enableMemory',
  'disableStack',
  'disableStorage',
  'enableReturnData',
  'limit',
  'overrides',
]
const tagged = ['overrides']
const ownMembers = ['tracer', 'tracerConfig', 'timeout']

function embeddedIn(struct: string, members: readonly string[]): Record<string, string> {
  return Object.fromEntries(members.map((member) => [member, struct]))
}

/** Options of a trace (geth: eth/tracers/api.go, TraceConfig). */
export const traceConfig = struct(
  {
    struct: 'TraceConfig',
    type: 'tracers.TraceConfig',
    capitalised: true,
    tagged,
    embedded: embeddedIn('Config', loggerMembers),
  },
  fields,
)

/** Options of a call's trace, with overrides (geth: eth/tracers/api.go, TraceCallConfig). */
export const traceCallConfig = struct(
  {
    struct: 'TraceCallConfig',
    type: 'tracers.TraceCallConfig',
    capitalised: true,
    tagged,
    embedded: {
      ...embeddedIn('TraceConfig', ownMembers),
      ...embeddedIn('TraceConfig.Config', loggerMembers),
    },
  },
  { ...fields, stateOverrides: stateOverride, blockOverrides, txIndex: signedIndex },
)

/** Decoded trace options. */
export type TraceConfig = ReturnType<typeof traceConfig.decode>

/** Parts of a Parity trace. */
export type TraceType = 'trace' | 'stateDiff' | 'vmTrace'

const types: readonly string[] = ['trace', 'stateDiff', 'vmTrace']

/** The requested parts of a trace. */
export const traceTypes: Decoder<ReadonlySet<TraceType>> = {
  schema: { title: 'trace types', type: 'array', items: { enum: types } },
  decode(value) {
    if (!Array.isArray(value)) throw new ReasonError('expected an array of trace types')
    for (const type of value) {
      if (!types.includes(type as string)) throw new ReasonError(`unknown trace type ${shownValue(type)}`)
    }
    return new Set(value as TraceType[])
  },
}
