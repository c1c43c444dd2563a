import { PrestateTracer } from '../../chain/tracing/prestateTracer.js'
import { ServerError } from '../errors.js'
import { prestateText } from '../format/prestate.js'
import { boolean } from '../params/boolean.js'
import { struct } from '../params/struct.js'
import { decodeTracerConfig, type TracerKind } from './tracerKind.js'

const options = struct(
  { struct: 'prestateTracerConfig', type: 'native.prestateTracerConfig' },
  { diffMode: boolean, disableCode: boolean, disableStorage: boolean, includeEmpty: boolean },
)

/** prestateTracer: the accounts that an execution touches as they were, or what it changed in them. */
export const prestateTracer: TracerKind = {
  name: 'prestateTracer',
  start(config, budget) {
    const decoded = decodeTracerConfig(options, config)
    const { diffMode = false, disableCode = false, disableStorage = false, includeEmpty = false } = decoded
    if (diffMode && includeEmpty) throw new ServerError('cannot use diffMode with includeEmpty')
    const tracer = new PrestateTracer({ diffMode, disableCode, disableStorage, includeEmpty }, budget)
    const result = (): string => {
      const pre = prestateText(tracer.pre)
      return diffMode ? `{"post":${prestateText(tracer.post)},"pre":${pre}}` : pre
    }
    return { tracer, result: () => [result()] }
  },
}
