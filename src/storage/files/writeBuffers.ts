import type { FileHandle } from 'node:fs/promises'

/**
 * Bytes given to the system in one call, unless one buffer has more: fewer than 2 MiB. Linux takes memory for a file in
 * pieces as large as the call allows (large folios; for ext4 since 6.16), and one of 2 MiB often has to be put together, or
 * asked of the host, first: then the same bytes cost four to six times as much (docs/guides/performance.md).
 */
const callLimit = 2 * 1024 * 1024 - 1

/**
 * Writes all buffers, one after the other, from a position on. The calls do not wait for each other: each would wait for
 * the event loop. When one fails, the others have come to their end too.
 */
export async function writeBuffers(
  handle: FileHandle,
  position: number,
  buffers: Uint8Array[],
): Promise<void> {
  const calls: Promise<void>[] = []
  let at = position
  for (let start = 0; start < buffers.length;) {
    const { end, bytes } = oneCall(buffers, start)
    calls.push(write(handle, at, { buffers: buffers.slice(start, end), bytes }))
    at += bytes
    start = end
  }
  const failed = (await Promise.allSettled(calls)).find((call) => call.status === 'rejected')
  if (failed) throw failed.reason
}

/** How many bytes go in one call from a buffer on, and before which buffer it ends. */
function oneCall(buffers: Uint8Array[], start: number): { end: number; bytes: number } {
  let bytes = 0
  let end = start
  for (; end < buffers.length; end++) {
    const { length } = buffers[end] as Uint8Array
    if (end > start && bytes + length > callLimit) break
    bytes += length
  }
  return { end, bytes }
}

/** Writes buffers in one call, and what the system leaves over in further ones. */
async function write(
  handle: FileHandle,
  position: number,
  { buffers, bytes }: { buffers: Uint8Array[]; bytes: number },
): Promise<void> {
  const { bytesWritten } = await handle.writev(buffers, position)
  if (bytesWritten === bytes) return
  const rest = Buffer.concat(buffers).subarray(bytesWritten)
  for (let done = 0; done < rest.length;) {
    const at = position + bytesWritten + done
    done += (await handle.write(rest, done, rest.length - done, at)).bytesWritten
  }
}
