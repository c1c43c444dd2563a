import { TimeSlice } from '../encoding/timeSlice.js'
import { FileNetworkError } from './errors.js'
import type { OptionSpec } from './request/command.js'

/** The largest block that is made without `allow-big-block`, in bytes (Kubo, `cmdutils.SoftBlockLimit`). */
const softBlockLimit = 2 * 1024 * 1024
/** The largest block that is kept at all, in bytes. */
const blockLimit = 64 * 1024 * 1024

/** The option that lifts the limit. */
export const allowBigBlock = {
  type: 'bool',
  default: false,
  description: 'Also make blocks of more than 2 MiB.',
} as const satisfies OptionSpec

/** Refuses a block that is too large for most of the network. */
export function checkBlockSize(size: number, options: { 'allow-big-block': boolean }): void {
  if (size > softBlockLimit && !options['allow-big-block']) throw new BigBlockError()
}

/** The bytes of a block that comes as a stream; of one that is too large no more is kept than shows it. */
export async function readBlock(
  source: AsyncIterable<Uint8Array>,
  options: { 'allow-big-block': boolean },
): Promise<Uint8Array> {
  return options['allow-big-block']
    ? readAll(source, blockLimit)
    : readAll(source, softBlockLimit, () => new BigBlockError())
}

class BigBlockError extends FileNetworkError {
  constructor() {
    super(
      "produced block is over 2MiB: big blocks can't be exchanged with other peers. consider using UnixFS " +
        'for automatic chunking of bigger files, or pass --allow-big-block to override',
    )
  }
}

/**
 * All bytes of a stream as one array; a stream that is longer than the limit is refused as `refusal` says. It is read to
 * its end all the same, and forgotten: a client that is still sending may not be listening yet.
 */
export async function readAll(
  source: AsyncIterable<Uint8Array>,
  limit: number,
  refusal = (): Error => new FileNetworkError(`input is larger than ${limit} bytes`),
): Promise<Uint8Array> {
  let pieces: Uint8Array[] = []
  let length = 0
  for await (const bytes of source) {
    length += bytes.length
    if (length <= limit) pieces.push(bytes)
    else pieces = []
  }
  if (length > limit) throw refusal()
  return joinInTurns(pieces, length)
}

/** The same bytes as one array; of tens of megabytes, in turns with other work. */
async function joinInTurns(pieces: readonly Uint8Array[], length: number): Promise<Uint8Array> {
  if (pieces.length === 1 && pieces[0] !== undefined) return pieces[0]
  const joined = new Uint8Array(length)
  const slice = new TimeSlice()
  let at = 0
  for (const piece of pieces) {
    joined.set(piece, at)
    at += piece.length
    const pause = slice.pause()
    if (pause !== undefined) await pause
  }
  return joined
}
