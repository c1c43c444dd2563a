import { base32 } from 'multiformats/bases/base32'
import { base58btc } from 'multiformats/bases/base58'
import type { CID } from 'multiformats/cid'
import { multibaseByName } from './multibase.js'

/** Writes a CID as text, in the base that a request asked for. */
export type CidEncoder = (cid: CID) => string

/**
 * The encoder for the option `cid-base`. Without it, version 0 is written in base58btc and version 1 in
 * base32. Any base but base58btc turns version 0 into version 1.
 */
export function createCidEncoder(baseName: string | undefined): CidEncoder {
  if (baseName === undefined || baseName === '') return encodeOnce
  const base = multibaseByName(baseName)
  const upgrades = base.name !== 'base58btc'
  return (cid) => {
    if (cid.version === 0 && !upgrades) return encodeOnce(cid)
    return base.encode(cid.toV1().bytes)
  }
}

/** A CID in the base of its version, without the memory of texts that `toString` keeps with every CID. */
function encodeOnce({ version, bytes }: CID): string {
  return version === 0 ? base58btc.encoder.encode(bytes).slice(1) : base32.encoder.encode(bytes)
}
