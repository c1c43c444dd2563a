import { keccak256 } from '../keccak.js'
import type { ExecutionLog } from '../types.js'

/** The 256-byte bloom of no logs, shared by all that have none: nobody writes into a bloom that is made. */
export const EMPTY_BLOOM: Uint8Array = new Uint8Array(256)

/** Sets the three bits of one address or topic in a 256-byte bloom (yellow paper, 4.3.1, M3:2048). */
function addToBloom(bloom: Uint8Array, entry: Uint8Array): void {
  const hash = keccak256(entry)
  for (let i = 0; i < 6; i += 2) {
    const bit = ((hash[i]! << 8) | hash[i + 1]!) & 2047
    bloom[255 - (bit >> 3)]! |= 1 << (bit & 7)
  }
}

/** The 256-byte bloom of the addresses and topics of logs. */
export function logsBloom(logs: readonly ExecutionLog[]): Uint8Array {
  if (logs.length === 0) return EMPTY_BLOOM
  const bloom = new Uint8Array(256)
  for (const log of logs) {
    addToBloom(bloom, log.address)
    for (const topic of log.topics) addToBloom(bloom, topic)
  }
  return bloom
}

/** The union of blooms: what a header carries of its receipts. */
export function joinBlooms(blooms: readonly Uint8Array[]): Uint8Array {
  const filled = blooms.filter((bloom) => bloom !== EMPTY_BLOOM)
  const [only] = filled
  if (only === undefined) return EMPTY_BLOOM
  if (filled.length === 1) return only
  const joined = new Uint8Array(256)
  for (const bloom of filled) {
    for (let i = 0; i < 256; i++) joined[i]! |= bloom[i]!
  }
  return joined
}
