import { FileNetworkError } from '../errors.js'
import { CID } from 'multiformats/cid'
import * as Digest from 'multiformats/hashes/digest'
import { type HashFunction, hashFunctionByCode, hashFunctionByName, identityCode } from './hashFunctions.js'

/** Codes of the multicodec table for the codecs that blocks come in. */
export const codecCode = {
  raw: 0x55,
  dagPb: 0x70,
  dagCbor: 0x71,
  libp2pKey: 0x72,
  dagJson: 0x0129,
  cbor: 0x51,
  json: 0x0200,
  dagJose: 0x85,
} as const

/** How CIDs of new blocks are made. */
export interface CidFormat {
  /** Version of CIDs; raw blocks get version 1 in any case. */
  version: 0 | 1
  hash: HashFunction
  /** Blocks of at most this many bytes become part of their CID instead of being stored. */
  inlineLimit?: number | undefined
}

/** The longest digest of the identity function, which is the data itself, in bytes (boxo, `verifcid`). */
const longestIdentityDigest = 128
/** The shortest digest of any other function, in bytes. */
const shortestDigest = 20

/** @throws {@link FileNetworkError} with boxo's text for a digest that is too long, or so short that it proves nothing */
export function checkDigest({ name, code }: Pick<HashFunction, 'name' | 'code'>, size: number): void {
  if (code === identityCode) {
    if (size <= longestIdentityDigest) return
    throw new FileNetworkError(
      `digest too large: identity digest got ${size} bytes, maximum ${longestIdentityDigest}`,
    )
  }
  if (size >= shortestDigest) return
  throw new FileNetworkError(`digest too small: ${name} digest got ${size} bytes, minimum ${shortestDigest}`)
}

/** The CID of a block. */
export function makeCid(format: CidFormat, codec: number, bytes: Uint8Array): CID {
  if (format.inlineLimit !== undefined && bytes.length <= format.inlineLimit) {
    return CID.createV1(codec, Digest.create(identityCode, bytes))
  }
  const digest = Digest.create(format.hash.code, format.hash.digest(bytes))
  checkDigest(format.hash, digest.size)
  if (format.version === 0 && codec === codecCode.dagPb) return CID.create(0, codec, digest)
  return CID.createV1(codec, digest)
}

/** How CIDs like this one are formed; with a hash function that is not known here, sha2-256 takes its place. */
export async function formatOf(cid: CID): Promise<CidFormat> {
  const hash = (await hashFunctionByCode(cid.multihash.code)) ?? (await hashFunctionByName('sha2-256'))
  return { version: cid.version, hash }
}
