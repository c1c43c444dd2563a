import { codecCode, hashFunctionByName, isComputed, makeCid } from '../../../src/ipfs/cid/cidFormat.js'
import { validValues } from './values.js'

/** The empty directory as UnixFS in dag-pb. */
const node = Uint8Array.of(0x0a, 0x02, 0x08, 0x01)
const hashes = await Promise.all((validValues['hash'] ?? []).map(hashFunctionByName))

/** The CID of version 0 of the empty directory. */
export const emptyDirectory = 'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn'

/** The CIDs of the empty directory for all hash functions that requests name. */
export const emptyDirectories: ReadonlySet<string> = new Set([
  emptyDirectory,
  ...hashes.filter(isComputed).map((hash) => makeCid({ version: 1, hash }, codecCode.dagPb, node).toString()),
])
