import type { MultibaseCodec } from 'multiformats'
import { bases } from 'multiformats/basics'
import type { CID } from 'multiformats/cid'
import { FileNetworkError } from '../errors.js'

/** Writes a CID as text, in the base that a request asked for. */
export type CidEncoder = (cid: CID) => string

const basesByName = new Map<string, MultibaseCodec<string>>(
  Object.values(bases).map((base) => [base.name, base]),
)
const basesByPrefix = new Map<string, MultibaseCodec<string>>(
  Object.values(bases).map((base) => [base.prefix, base]),
)

/** The base with a name or a prefix of the multibase table. */
export function multibaseByName(name: string): MultibaseCodec<string> {
  const base = basesByName.get(name) ?? basesByPrefix.get(name)
  if (base === undefined) throw new FileNetworkError(`unsupported multibase encoding: ${name}`)
  return base
}

/**
 * The encoder for the option `cid-base`. Without it, version 0 is written in base58btc and version 1 in
 * base32. Any base but base58btc turns version 0 into version 1.
 */
export function createCidEncoder(baseName: string | undefined): CidEncoder {
  if (baseName === undefined || baseName === '') return encodeOnce
  const { encoder } = multibaseByName(baseName)
  const upgrades = encoder.name !== 'base58btc'
  return (cid) => {
    if (cid.version === 0 && !upgrades) return encodeOnce(cid)
    return encoder.encode(cid.toV1().bytes)
  }
}

/** A CID in the base of its version, without the memory of texts that `toString` keeps with every CID. */
function encodeOnce({ version, bytes }: CID): string {
  return version === 0 ? bases.base58btc.encoder.encode(bytes).slice(1) : bases.base32.encoder.encode(bytes)
}
