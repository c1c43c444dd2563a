import type { CID } from 'multiformats/cid'
import { cidKey } from '../cid/cidKey.js'
import type { VisitedSet } from '../cid/visitedSet.js'
import type { BlockSource } from '../unixfs/entry.js'
import { linksOf } from './links.js'

/** A block that a walk came to. */
export interface VisitedBlock {
  cid: CID
  bytes: Uint8Array
}

/**
 * Every block of a DAG, depth first in the order of the links, no block twice unless `seen` forgets them.
 *
 * `seen` may be shared between walks, or filled beforehand with what is not to be visited; it has the
 * CIDs as keys ({@link cidKey}). Without recursion, so that no depth of the DAG is too much.
 */
export async function* walkDag(
  source: BlockSource,
  root: CID,
  seen: VisitedSet = new Set(),
): AsyncGenerator<VisitedBlock> {
  const stack: CID[] = [root]
  for (let cid = stack.pop(); cid; cid = stack.pop()) {
    const key = cidKey(cid)
    if (seen.has(key)) continue
    seen.add(key)
    const bytes = await source.get(cid)
    yield { cid, bytes }
    const links = await linksOf(cid, bytes)
    for (let index = links.length - 1; index >= 0; index--) {
      const link = links[index]
      if (link && !seen.has(cidKey(link.cid))) stack.push(link.cid)
    }
  }
}
