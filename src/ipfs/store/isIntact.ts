import type { MultihashDigest } from 'multiformats/hashes/interface'
import * as Digest from 'multiformats/hashes/digest'
import { matchesMultihash } from '../cid/matchesMultihash.js'

/** Whether a key is a multihash, and of these bytes; one whose hash function is not known is believed. */
export async function isIntact(key: Uint8Array, data: Uint8Array): Promise<boolean> {
  const multihash = decode(key)
  return multihash !== undefined && (await matchesMultihash(multihash, data)) !== false
}

function decode(key: Uint8Array): MultihashDigest | undefined {
  try {
    return Digest.decode(key)
  } catch {
    return undefined
  }
}
