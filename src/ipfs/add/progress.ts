/** Bytes after which progress is told of (Kubo, `coreunix/add.go`). */
const increment = 256 * 1024

/** Passes bytes on and tells how many there were, every 256 KiB and at the end. */
export async function* withProgress(
  source: AsyncIterable<Uint8Array>,
  tell: (bytes: number) => Promise<void> | undefined,
): AsyncGenerator<Uint8Array> {
  let total = 0
  for await (const bytes of source) {
    for (let start = 0; start < bytes.length;) {
      const piece = bytes.subarray(start, start + increment - (total % increment))
      start += piece.length
      total += piece.length
      yield piece
      if (total % increment === 0) await tell(total)
    }
  }
  await tell(total)
}
