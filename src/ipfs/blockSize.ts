import { joinInSteps } from '../encoding/hex.js'
import { MemoryPool, MemoryShare } from '../encoding/memoryShare.js'
import { TimeSlice, runInSlices } from '../encoding/timeSlice.js'
import { FileNetworkError } from './errors.js'
import type { OptionSpec } from './request/command.js'

/** The largest block accepted without `allow-big-block`, in bytes (Kubo, `cmdutils.SoftBlockLimit`). */
const SOFT_BLOCK_LIMIT = 2 * 1024 * 1024
/** The largest block accepted at all, in bytes. */
const BLOCK_LIMIT = 64 * 1024 * 1024

/** The option that lifts {@link SOFT_BLOCK_LIMIT}. */
export const allowBigBlock = {
  type: 'bool',
  default: false,
  description: 'Allow blocks larger than 2 MiB.',
} as const satisfies OptionSpec

/** Rejects a block too large for most peers to exchange. */
export function checkBlockSize(size: number, options: { 'allow-big-block': boolean }): void {
  if (size > SOFT_BLOCK_LIMIT && !options['allow-big-block']) throw new BigBlockError()
}

/** Reads one block from a stream. An oversized block is buffered only up to the limit. */
export async function readBlock(
  source: AsyncIterable<Uint8Array>,
  options: { 'allow-big-block': boolean },
): Promise<Uint8Array> {
  return options['allow-big-block']
    ? readAll(source, BLOCK_LIMIT)
    : readAll(source, SOFT_BLOCK_LIMIT, () => new BigBlockError())
}

class BigBlockError extends FileNetworkError {
  constructor() {
    super(
      "produced block is over 2MiB: big blocks can't be exchanged with other peers. consider using UnixFS " +
        'for automatic chunking of bigger files, or pass --allow-big-block to override',
    )
  }
}

/** Inputs that are read as a whole, until they are complete. */
const inputs = new MemoryPool(256 * 1024 * 1024)

/** Copies of an input while its pieces are joined. */
const COPIES = 2

/**
 * Reads a whole stream into one array, or throws `refusal()` if it exceeds the limit. Long streams wait while others
 * hold too much memory. An oversized stream is still drained, its bytes dropped: a client that is still sending may not
 * be listening for the answer yet.
 */
export async function readAll(
  source: AsyncIterable<Uint8Array>,
  limit: number,
  refusal = (): Error => new FileNetworkError(`input is larger than ${limit} bytes`),
): Promise<Uint8Array> {
  const memory = new MemoryShare(inputs)
  let pieces: Uint8Array[] = []
  let length = 0
  try {
    for await (const bytes of source) {
      length += bytes.length
      if (length > limit) {
        pieces = []
        continue
      }
      pieces.push(bytes)
      const pause = memory.hold(COPIES * bytes.length)
      if (pause !== undefined) await pause
    }
    if (length > limit) throw refusal()
    return pieces.length === 1 && pieces[0] !== undefined
      ? pieces[0]
      : await runInSlices(joinInSteps(pieces), new TimeSlice())
  } finally {
    memory.end()
  }
}
