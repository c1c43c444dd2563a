/** The nodes of a block with a transaction or two fit into so many bytes. */
const SHARED_BYTES = 16 * 1024
/** What is longer has memory of its own. */
const LONGEST = 2048

let shared = new ArrayBuffer(SHARED_BYTES)
let used = 0

/**
 * Zeros for a node that is made, in memory that it shares with those that are made around it.
 *
 * An array with memory of its own takes as long to make as a node takes to hash, and most nodes live until the next block.
 * Those that stay leave the shared memory (NodeRecord.own), so that one of them does not hold the others'.
 */
export function nodeMemory(length: number): Uint8Array {
  if (length > LONGEST) return new Uint8Array(length)
  if (used + length > SHARED_BYTES) {
    shared = new ArrayBuffer(SHARED_BYTES)
    used = 0
  }
  const bytes = new Uint8Array(shared, used, length)
  used += length
  return bytes
}
