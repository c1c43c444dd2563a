import { keysOf } from '../../encoding/jsonKeys.js'
import { type Steps, runToCompletion } from '../../encoding/timeSlice.js'
import { type Decoder, ReasonError, struct } from './combinators.js'
import { anything, boolean, text } from './bytes.js'
import { blockOverrides, stateOverride } from './callObject.js'
import { chainConfig } from './chainConfig.js'
import { int, signedIndex } from './numbers.js'
import { shownValue } from './shownValue.js'

/** Size of the largest tracer configuration: the characters of its names and texts, and 16 for each value. */
const MAX_CONFIG = 256 * 1024
const SIZE_OF_VALUE = 16

/** Each tracer decodes its own configuration, in one step. */
const tracerConfig: Decoder<unknown> = {
  schema: {},
  decode(value) {
    if (isLarge(value)) throw new ReasonError(`tracerConfig is larger than ${MAX_CONFIG} characters`)
    return value
  },
}

function isLarge(value: unknown): boolean {
  let size = 0
  const parts = [value]
  while (parts.length > 0 && size <= MAX_CONFIG) {
    const part = parts.pop()
    size += SIZE_OF_VALUE
    if (typeof part === 'string') size += part.length
    if (typeof part !== 'object' || part === null) continue
    for (const key of Array.isArray(part) ? part.keys() : keysOf(part)) {
      if (size + parts.length * SIZE_OF_VALUE > MAX_CONFIG) return true
      size += String(key).length
      parts.push((part as Readonly<Record<string | number, unknown>>)[key])
    }
  }
  return size > MAX_CONFIG
}

const fields = {
  tracer: text('string', 'tracer name'),
  tracerConfig,
  timeout: text('string', 'duration'),
  enableMemory: boolean,
  /** Hardhat's; geth ignores it and so accepts any value. */
  disableMemory: anything,
  disableStack: boolean,
  disableStorage: boolean,
  enableReturnData: boolean,
  limit: int,
  /** Decoded for every trace, and used by geth only for traces that it writes to files. */
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
  decode: (value) => runToCompletion(decodeTraceTypes(value)),
  decodeInSteps: decodeTraceTypes,
}

/** Types checked per piece: an array may repeat them millions of times. */
const TYPES_AT_ONCE = 16_384

function* decodeTraceTypes(value: unknown): Steps<ReadonlySet<TraceType>> {
  if (!Array.isArray(value)) throw new ReasonError('expected an array of trace types')
  const given = new Set<TraceType>()
  for (const [index, type] of value.entries()) {
    if (index % TYPES_AT_ONCE === TYPES_AT_ONCE - 1) yield
    if (!types.includes(type as string)) throw new ReasonError(`unknown trace type ${shownValue(type)}`)
    given.add(type as TraceType)
  }
  return given
}
