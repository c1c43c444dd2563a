import type { CID } from 'multiformats/cid'
import { hashFunctionByCode, hashFunctionByName } from './hashFunctions.js'
import type { CidFormat } from './makeCid.js'

/** How CIDs like this one are formed; with a hash function that is not known here, sha2-256 takes its place. */
export async function formatOf(cid: CID): Promise<CidFormat> {
  const hash = (await hashFunctionByCode(cid.multihash.code)) ?? (await hashFunctionByName('sha2-256'))
  return { version: cid.version, hash }
}
