import type { CID } from 'multiformats/cid'
import type { BlockSource } from '../unixfs/entry.js'
import { encodeCarHeader, encodeCarSection } from './car.js'
import { walkDag } from './walk.js'

/** A DAG as a CARv1, depth first, no block twice. */
export async function* exportCar(source: BlockSource, root: CID): AsyncGenerator<Uint8Array> {
  yield encodeCarHeader(root)
  for await (const { cid, bytes } of walkDag(source, root)) yield encodeCarSection(cid, bytes)
}
