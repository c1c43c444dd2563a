import type { MultihashDigest } from 'multiformats/hashes/interface'
import { hashFunctionByCode } from './hashFunctions.js'

/** Whether bytes hash to a multihash; undefined when its hash function is not known. */
export async function matchesMultihash(
  multihash: MultihashDigest,
  bytes: Uint8Array,
): Promise<boolean | undefined> {
  const hash = await hashFunctionByCode(multihash.code)
  if (hash === undefined) return undefined
  const digest = hash.digest(bytes)
  return Buffer.compare(digest.subarray(0, multihash.digest.length), multihash.digest) === 0
}
