import { CallTracer } from '../../chain/tracing/callTracer.js'
import { flatCallsText } from '../format/flatCalls.js'
import { boolean } from '../params/boolean.js'
import { struct } from '../params/struct.js'
import { decodeTracerConfig, type TracerKind } from './tracerKind.js'

const options = struct(
  { struct: 'flatCallTracerConfig', type: 'native.flatCallTracerConfig' },
  { convertParityErrors: boolean, includePrecompiles: boolean },
)

/** flatCallTracer: the frames of an execution in one list, as Parity shows them. */
export const flatCallTracer: TracerKind = {
  name: 'flatCallTracer',
  start(config, budget) {
    const { convertParityErrors = false, includePrecompiles = false } = decodeTracerConfig(options, config)
    const tracer = new CallTracer({ skipPrecompiles: !includePrecompiles }, budget)
    return { tracer, result: (place) => [flatCallsText(tracer.result, place, { convertParityErrors })] }
  },
}
