import { type Decoder, KindMismatchError, ReasonError, struct } from './combinators.js'
import { boolean, text } from './bytes.js'
import { blockOverrides, stateOverride } from './callObject.js'
import { int, signedIndex } from './numbers.js'

/** Each tracer decodes its own. */
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
  /** hardhat's; geth looks at no such member, and so takes any value. */
  disableMemory: raw,
  disableStack: boolean,
  disableStorage: boolean,
  enableReturnData: boolean,
  limit: int,
  overrides: chainConfig,
}

/** The members that Go embeds from the options of the struct logger. */
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

/** What is traced, and how long that may take (geth: eth/tracers/api.go, TraceConfig). */
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

/** The same for a call, with what is to be different for it (geth: eth/tracers/api.go, TraceCallConfig). */
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

/** A decoded trace config. */
export type TraceConfig = ReturnType<typeof traceConfig.decode>

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
