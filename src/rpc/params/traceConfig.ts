import { blockOverrides } from './blockOverrides.js'
import { KindMismatchError } from './decodeError.js'
import { index } from './numbers.js'
import { boolean, text } from './scalars.js'
import { stateOverride } from './stateOverride.js'
import { type Decoder, struct } from './combinators.js'

/** A whole number as JSON writes it. */
export const int: Decoder<number> = {
  schema: { type: 'integer' },
  decode(value) {
    if (typeof value !== 'number') throw KindMismatchError.of(value, 'int')
    if (!Number.isInteger(value)) throw new KindMismatchError(`number ${value}`, 'int')
    return value
  },
}

/** Each tracer decodes its own. */
const raw: Decoder<unknown> = { schema: {}, decode: (value) => value }

const fields = {
  tracer: text('string', 'tracer name'),
  tracerConfig: raw,
  timeout: text('string', 'duration'),
  enableMemory: boolean,
  disableStack: boolean,
  disableStorage: boolean,
  enableReturnData: boolean,
  limit: int,
}

/** The members that Go embeds from the options of the struct logger. */
const loggerMembers = ['enableMemory', 'disableStack', 'disableStorage', 'enableReturnData', 'limit']
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
    embedded: {
      ...embeddedIn('TraceConfig', ownMembers),
      ...embeddedIn('TraceConfig.Config', loggerMembers),
    },
  },
  { ...fields, stateOverrides: stateOverride, blockOverrides, txIndex: index },
)

/** A decoded trace config. */
export type TraceConfig = ReturnType<typeof traceConfig.decode>
