import type { CallFrame } from '../../chain/tracing/callTracer.js'
import { runInSlices, TimeSlice, type Steps } from '../../encoding/timeSlice.js'
import { flatCallText, flattenCalls, type FlatCall } from '../format/flatCalls.js'
import { ListWriter } from '../format/listWriter.js'
import { PieceWriter } from '../format/pieceWriter.js'
import type { TracePlace } from '../format/tracePlace.js'
import type { Call } from '../method.js'
import { placeOf } from '../methods/traces.js'
import { WireBytes } from '../wire.js'
import { eachFrame, type FrameOrder } from './blockFrames.js'
import { parityForm } from './parityTrace.js'

/** Hands over the texts of frames in Parity's form, of each outermost one and then of those within it. */
export async function eachFrameText(
  call: Pick<Call, 'view' | 'backend'>,
  order: FrameOrder & { keep?: (flat: FlatCall) => boolean },
  take: (text: string) => void,
): Promise<void> {
  const { block, keep = () => true } = order
  const slice = new TimeSlice()
  await eachFrame(call, order, (top, index) =>
    runInSlices(handOver(top, { place: placeOf(block, index), keep, take }), slice),
  )
}

interface Receiver {
  place: TracePlace
  keep: (flat: FlatCall) => boolean
  take: (text: string) => void
}

function* handOver(top: CallFrame, { place, keep, take }: Receiver): Steps<void> {
  for (const flat of flattenCalls(top)) {
    if (keep(flat)) take(flatCallText(flat, place, parityForm))
    yield
  }
}

/** Frames in Parity's form as one list. */
export async function listFrames(
  call: Pick<Call, 'view' | 'backend'>,
  order: FrameOrder,
): Promise<WireBytes> {
  const writer = new PieceWriter()
  const list = new ListWriter(writer)
  await eachFrameText(call, order, (text) => list.append(text))
  list.end()
  return new WireBytes(writer.pieces())
}
