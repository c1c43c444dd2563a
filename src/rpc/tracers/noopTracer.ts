import type { Steps } from '../../encoding/timeSlice.js'
import type { PieceWriter } from '../format/pieceWriter.js'
import type { TracerKind } from './tracerKind.js'

/** noopTracer: executes, and shows nothing. */
export const noopTracer: TracerKind = {
  name: 'noopTracer',
  start: () => ({ tracer: {}, write: (_, writer) => writeNothing(writer) }),
}

function* writeNothing(writer: PieceWriter): Steps<void> {
  yield writer.append('{}')
}
