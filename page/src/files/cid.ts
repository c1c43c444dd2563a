import { CID } from 'multiformats/cid'

/** Codecs by multicodec code. */
const codecs: Readonly<Record<number, string>> = {
  0x55: 'raw',
  0x70: 'dag-pb',
  0x71: 'dag-cbor',
  0x72: 'libp2p-key',
  0x85: 'dag-jose',
  0x0129: 'dag-json',
}

/** Parts of a CID. */
export interface CidFacts {
  version: number
  codec: string
  /** Multicodec code of the hash function. */
  hash: number
}

/** Parses a CID; undefined if it is invalid. */
export function parseCid(text: string): CidFacts | undefined {
  try {
    const { version, code, multihash } = CID.parse(text)
    return { version, codec: codecs[code] ?? `0x${code.toString(16)}`, hash: multihash.code }
  } catch {
    return undefined
  }
}
