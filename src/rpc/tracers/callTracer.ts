import { CallTracer } from '../../chain/tracing/callTracer.js'
import { writeCallFrame } from '../format/callFrame.js'
import { boolean } from '../params/boolean.js'
import { struct } from '../params/struct.js'
import { decodeTracerConfig, type TracerKind } from './tracerKind.js'

const options = struct(
  { struct: 'callTracerConfig', type: 'native.callTracerConfig' },
  { onlyTopCall: boolean, withLog: boolean },
)

/** callTracer: the frames of an execution, one within the other. */
export const callTracer: TracerKind = {
  name: 'callTracer',
  start(config, budget) {
    const { onlyTopCall = false, withLog = false } = decodeTracerConfig(options, config)
    const tracer = new CallTracer({ onlyTopCall, withLog }, budget)
    return { tracer, write: (_, writer) => writeCallFrame(tracer.result, writer) }
  },
}
