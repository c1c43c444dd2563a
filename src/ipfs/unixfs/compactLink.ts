import { CID } from 'multiformats/cid'
import type { StoredNode, UnixfsLink } from './node.js'

/** A link that keeps its CID as a short string: a directory may have a million of them. */
export class CompactLink implements UnixfsLink {
  readonly name: string
  readonly size: number
  private readonly cidText: string

  constructor(name: string, node: StoredNode) {
    this.name = name
    this.size = node.size
    this.cidText = Buffer.from(node.cid.bytes).toString('latin1')
  }

  get cid(): CID {
    return CID.decode(Uint8Array.from(Buffer.from(this.cidText, 'latin1')))
  }
}
