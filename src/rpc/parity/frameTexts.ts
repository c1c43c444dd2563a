import type { CallFrame } from '../../chain/tracing/callTracer.js'
import { type Steps, TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import { ListWriter, PieceWriter } from '../format/pieces.js'
import type { TracePlace } from '../format/tracePlace.js'
import type { Call } from '../method.js'
import { placeOf } from '../methods/traces.js'
import { type FlatCall, flatCallText, flattenCalls } from '../tracers/flatCallTracer.js'
import { WireBytes } from '../wire.js'
import { type FrameOrder, eachFrame } from './blockFrames.js'
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
