import type { StoredBlock } from '../../chain/block/record.js'
import { uncleWire } from '../format/block.js'
import type { Call } from '../method.js'
import type { WireBytes } from '../wire.js'

/** The object of a block's uncle at an index; null if there is no such block or index. */
export function uncleAt({ backend }: Call, block: StoredBlock | undefined, index: number): WireBytes | null {
  const hash = block?.uncleHashes[index]
  if (block === undefined || hash === undefined) return null
  const header = backend.records.uncles(block)[index]
  return header === undefined ? null : uncleWire(hash, header)
}
