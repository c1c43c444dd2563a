/** Bytes that Kubo reads before it sends them (go-ipfs-cmds, `http/responseemitter.go`). */
const SENT_AT_ONCE = 4096

/**
 * Yields content in multiples of 4096 bytes, and the remainder at its end. If a read fails, Kubo loses an incomplete
 * multiple. Each piece is valid only until the next is requested.
 */
export async function* heldBack(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held: Uint8Array | undefined
  let length = 0
  for await (const bytes of source) {
    const total = length + bytes.length
    const sent = total < SENT_AT_ONCE ? 0 : bytes.length - (total % SENT_AT_ONCE)
    if (sent > 0) {
      if (held !== undefined && length > 0) yield held.subarray(0, length)
      yield bytes.subarray(0, sent)
      length = 0
    }
    if (sent < bytes.length) {
      held ??= new Uint8Array(SENT_AT_ONCE)
      held.set(bytes.subarray(sent), length)
      length += bytes.length - sent
    }
  }
  if (held !== undefined && length > 0) yield held.subarray(0, length)
}
