import { bytesKey } from './byteCache.js'
import { isSameAddress } from './entries.js'

interface KnownAddress {
  readonly bytes: Uint8Array
  readonly key: string
}

/** Addresses that were asked for lately, each at the place that its last byte names. */
const known: (KnownAddress | undefined)[] = new Array<undefined>(256).fill(undefined)

/**
 * An address of 20 bytes as a map's key, the same as {@link bytesKey} makes.
 *
 * A call asks some ten times for the keys of its sender, its recipient and the coinbase, and the next call again. Making
 * a key is a call into Node, and the new text has to be hashed before a map finds it: a key that is kept was hashed once.
 */
export function addressKey(address: Uint8Array): string {
  const place = address[address.length - 1] ?? 0
  const found = known[place]
  if (found !== undefined && isSameAddress(found.bytes, address)) return found.key
  const key = bytesKey(address)
  known[place] = { bytes: address.slice(), key }
  return key
}
