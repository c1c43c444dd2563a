import { bytesKey } from './byteCache.js'

/** The key of a storage slot in the two forms that look-ups need. */
export interface SlotKey {
  /** 32 bytes, which stay as they are. */
  readonly bytes: Uint8Array
  /** The same as a map's key. */
  readonly name: string
}

/**
 * The key of 32 bytes, which are copied.
 *
 * @throws Error if there are more or fewer.
 */
export function slotKeyOf(bytes: Uint8Array): SlotKey {
  if (bytes.length !== 32) throw new Error(`A storage key has 32 bytes, not ${bytes.length}`)
  return { bytes: bytes.slice(), name: bytesKey(bytes) }
}
