/** Bytes after which progress is told of (Kubo, `coreunix/add.go`). */
const increment = 256 * 1024

/** Passes bytes on and tells how many there were, every 256 KiB and at the end. */
export async function* withProgress(
  source: AsyncIterable<Uint8Array>,
  tell: (bytes: number) => Promise<void>,
): AsyncGenerator<Uint8Array> {
  let total = 0
  let told = 0
  for await (const bytes of source) {
    total += bytes.length
    yield bytes
    if (total - told < increment) continue
    told = total
    await tell(total)
  }
  await tell(total)
}
