import { FourByteTracer } from '../../chain/tracing/fourByteTracer.js'
import type { TracerKind } from './tracerKind.js'

/** 4byteTracer: how often each function selector was called. */
export const fourByteTracer: TracerKind = {
  name: '4byteTracer',
  start() {
    const tracer = new FourByteTracer()
    return { tracer, result: () => [JSON.stringify(Object.fromEntries([...tracer.counts].sort()))] }
  },
}
