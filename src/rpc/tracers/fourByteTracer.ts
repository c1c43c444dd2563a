import { FourByteTracer } from '../../chain/tracing/fourByteTracer.js'
import { ListWriter } from '../format/listWriter.js'
import type { TracerKind } from './tracerKind.js'

/** 4byteTracer: how often each function selector was called. */
export const fourByteTracer: TracerKind = {
  name: '4byteTracer',
  start() {
    const tracer = new FourByteTracer()
    return {
      tracer,
      *write(_, writer) {
        const members = new ListWriter(writer, '{}')
        for (const [key, count] of [...tracer.counts].sort()) {
          members.append(`"${key}":${count}`)
          yield
        }
        members.end()
      },
    }
  },
}
