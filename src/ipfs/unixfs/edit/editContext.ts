import type { CID } from 'multiformats/cid'
import { formatOf } from '../../cid/formatOf.js'
import { identityCode } from '../../cid/hashFunctions.js'
import type { CidFormat } from '../../cid/makeCid.js'
import { createBlockWriter } from '../blockWriter.js'
import type { BlockWriter, StoreBlock } from '../blockWriter.js'
import type { BlockSource } from '../entry.js'

/** The longest block, in bytes, that stays in its CID when it is changed there (boxo, `verifcid`). */
const inlineLimit = 128

/** Where a file that is being changed is read from and written to. */
export interface EditContext {
  source: BlockSource
  /** How the CID of a node is formed when the node was changed. */
  formatOf(cid: CID): Promise<CidFormat>
  /** The writer for a format; nodes keep the formats that they have, so there may be several. */
  writerOf(format: CidFormat): BlockWriter
  /** Settled once everything written so far is stored and can be read. */
  stored(): Promise<void>
}

/**
 * The context of a change.
 *
 * @param fallback - the format of nodes that lay in their CIDs and have become too long for that
 */
export function createEditContext(source: BlockSource, store: StoreBlock, fallback: CidFormat): EditContext {
  const writers = new Map<string, BlockWriter>()
  return {
    source,
    async formatOf(cid) {
      return cid.multihash.code === identityCode ? { ...fallback, inlineLimit } : formatOf(cid)
    },
    writerOf(format) {
      const key = [format.version, format.hash.code, format.inlineLimit].join('/')
      let writer = writers.get(key)
      if (writer === undefined) {
        writer = createBlockWriter(format, store)
        writers.set(key, writer)
      }
      return writer
    },
    async stored() {
      for (const writer of writers.values()) await writer.stored()
    },
  }
}
