import { type Steps, TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import { type JsonValue, WireBytes, printJson } from '../wire.js'
import { ListWriter } from './listWriter.js'
import { PieceWriter } from './pieceWriter.js'

/**
 * What is written piece by piece, with turns for other work between them.
 *
 * @param write - calls a generator function that is not made anew for it: V8 gives each such function a hidden class, which
 *   keeps what it refers to until the next full collection
 */
export async function written(write: (writer: PieceWriter) => Steps<void>): Promise<WireBytes> {
  const writer = new PieceWriter()
  await runInSlices(write(writer), new TimeSlice())
  return new WireBytes(writer.pieces())
}

/** An array of what is shown of each item; undefined is left out. */
export function writtenList<T>(
  items: Iterable<T>,
  show: (item: T) => JsonValue | undefined,
): Promise<WireBytes> {
  return written((writer) => writeList(items, show, writer))
}

function* writeList<T>(
  items: Iterable<T>,
  show: (item: T) => JsonValue | undefined,
  writer: PieceWriter,
): Steps<void> {
  const list = new ListWriter(writer)
  for (const item of items) {
    const value = show(item)
    if (value !== undefined) list.append(printJson(value))
    yield
  }
  list.end()
}

/** An array of the texts of items. */
export function writtenTexts<T>(items: Iterable<T>, text: (item: T) => string): Promise<WireBytes> {
  return written((writer) => writeTexts(items, text, writer))
}

function* writeTexts<T>(items: Iterable<T>, text: (item: T) => string, writer: PieceWriter): Steps<void> {
  const list = new ListWriter(writer)
  for (const item of items) {
    list.append(text(item))
    yield
  }
  list.end()
}
