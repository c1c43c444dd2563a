import { CallTracer } from '../../chain/tracing/callTracer.js'
import { writeFlatCalls } from '../format/flatCalls.js'
import { boolean } from '../params/boolean.js'
import { struct } from '../params/struct.js'
import { decodeTracerConfig, type TracerKind } from './tracerKind.js'

const options = struct(
  { struct: 'flatCallTracerConfig', type: 'native.flatCallTracerConfig' },
  { convertParityErrors: boolean, includePrecompiles: boolean },
)

/** About the text of a frame apart from its data: each names the transaction and the block. */
const FRAME_BYTES = 720

/** flatCallTracer: the frames of an execution in one list, as Parity shows them. */
export const flatCallTracer: TracerKind = {
  name: 'flatCallTracer',
  start(config, budget) {
    const { convertParityErrors = false, includePrecompiles = false } = decodeTracerConfig(options, config)
    const tracer = new CallTracer({ skipPrecompiles: !includePrecompiles, frameBytes: FRAME_BYTES }, budget)
    return {
      tracer,
      write: (place, writer) => writeFlatCalls(tracer.result, place, { convertParityErrors }, writer),
    }
  },
}
