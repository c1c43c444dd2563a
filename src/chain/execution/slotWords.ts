import { bytesKey } from '../state/byteCache.js'
import type { SlotKey } from '../state/slotKey.js'
import { lowestByte, wordToBytes } from './words.js'

interface KnownSlot extends SlotKey {
  readonly word: bigint
}

/** Slots that were asked for lately, each at the place that its lowest byte names. */
const known: (KnownSlot | undefined)[] = new Array<undefined>(256).fill(undefined)

/**
 * The key of the slot that a word on the stack names.
 *
 * One SLOAD asks three times for the same slot, the SSTORE that follows four times more, and the next call of the same
 * contract again; making the key takes longer than looking the slot up by it.
 */
export function slotOfWord(word: bigint): SlotKey {
  const place = lowestByte(word)
  const found = known[place]
  if (found?.word === word) return found
  const bytes = wordToBytes(word)
  const slot = { word, bytes, name: bytesKey(bytes) }
  known[place] = slot
  return slot
}
