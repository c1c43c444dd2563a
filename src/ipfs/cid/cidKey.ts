import type { CID } from 'multiformats/cid'

/** A CID as a key of maps and sets: its bytes as a text, which costs a tenth of its base58. */
export function cidKey(cid: CID): string {
  const { buffer, byteOffset, byteLength } = cid.bytes
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1')
}
