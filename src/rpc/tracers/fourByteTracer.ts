import { FourByteTracer } from '../../chain/tracing/fourByteTracer.js'
import type { Steps } from '../../encoding/timeSlice.js'
import { ListWriter } from '../format/listWriter.js'
import type { PieceWriter } from '../format/pieceWriter.js'
import type { TracerKind } from './tracerKind.js'

/** 4byteTracer: how often each function selector was called. */
export const fourByteTracer: TracerKind = {
  name: '4byteTracer',
  start() {
    const tracer = new FourByteTracer()
    return { tracer, write: (_, writer) => writeCounts(tracer.counts, writer) }
  },
}

function* writeCounts(counts: ReadonlyMap<string, number>, writer: PieceWriter): Steps<void> {
  const members = new ListWriter(writer, '{}')
  for (const [key, count] of [...counts].sort()) {
    members.append(`"${key}":${count}`)
    yield
  }
  members.end()
}
