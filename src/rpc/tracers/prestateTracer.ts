import { PrestateTracer } from '../../chain/tracing/prestateTracer.js'
import type { Steps } from '../../encoding/timeSlice.js'
import { ServerError } from '../errors.js'
import type { PieceWriter } from '../format/pieceWriter.js'
import { writePrestate } from '../format/prestate.js'
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
    return {
      tracer,
      write: (_, writer) => (diffMode ? writeBoth(tracer, writer) : writePrestate(tracer.pre, writer)),
    }
  },
}

function* writeBoth({ pre, post }: PrestateTracer, writer: PieceWriter): Steps<void> {
  writer.append('{"post":')
  yield* writePrestate(post, writer)
  writer.append(',"pre":')
  yield* writePrestate(pre, writer)
  writer.append('}')
}
