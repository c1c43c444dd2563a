import { CID } from 'multiformats/cid'

/** Codecs by their code in the table of multicodec. */
const codecs: Readonly<Record<number, string>> = {
  0x55: 'raw',
  0x70: 'dag-pb',
  0x71: 'dag-cbor',
  0x72: 'libp2p-key',
  0x85: 'dag-jose',
  0x0129: 'dag-json',
}

/** What a CID says about the block that it names. */
export interface CidFacts {
  version: number
  codec: string
  /** The code of the hash function in the table of multicodec. */
  hash: number
}

/** Reads a CID; undefined if the text is none. */
export function parseCid(text: string): CidFacts | undefined {
  try {
    const { version, code, multihash } = CID.parse(text)
    return { version, codec: codecs[code] ?? `0x${code.toString(16)}`, hash: multihash.code }
  } catch {
    return undefined
  }
}
