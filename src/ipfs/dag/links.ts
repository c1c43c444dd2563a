import { CID } from 'multiformats/cid'
import { decode as decodeDagPb } from '@ipld/dag-pb'
import { codecCode } from '../cid/makeCid.js'
import { errorText, FileNetworkError } from '../errors.js'
import { codecByCode } from './codecs.js'

/** A link of any node. */
export interface DagLink {
  cid: CID
  /** The name that a dag-pb node gives it; empty in other data, whose links have none (go-ipld-legacy, `node.go`). */
  name: string
}

/**
 * The links of a block, in the order in which they stand in it.
 *
 * @throws {@link FileNetworkError} when the codec is not known or the block is malformed
 */
export function linksOf(cid: CID, bytes: Uint8Array): DagLink[] {
  if (cid.code === codecCode.raw) return []
  const codec = codecByCode(cid.code)
  try {
    if (cid.code === codecCode.dagPb) {
      return decodeDagPb(bytes).Links.map((link) => ({ cid: link.Hash, name: link.Name ?? '' }))
    }
    return linksOfValue(codec.decode(bytes))
  } catch (error) {
    throw new FileNetworkError(`failed to decode ${cid}: ${errorText(error)}`)
  }
}

/** The links of decoded data, found without recursion, however deep it is nested. */
function linksOfValue(root: unknown): DagLink[] {
  const links: DagLink[] = []
  const stack: unknown[] = [root]
  while (stack.length > 0) {
    const value = stack.pop()
    if (typeof value !== 'object' || value === null || value instanceof Uint8Array) continue
    const cid = CID.asCID(value)
    if (cid) {
      links.push({ cid, name: '' })
      continue
    }
    for (const child of Object.values(value).reverse()) stack.push(child)
  }
  return links
}
