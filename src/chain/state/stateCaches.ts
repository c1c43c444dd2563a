import type { RecordPosition } from '../../storage/records.js'
import { ByteCache } from './byteCache.js'
import type { NodeRecord } from './nodeRecord.js'

/** What was read or made of tries, by where it lies in the record file, and codes by their 32-byte hash. */
export interface StateCaches {
  nodes: ByteCache<RecordPosition, NodeRecord>
  /**
   * Nodes that a later state has others in the place of. Each block makes a dozen, which would crowd out what all states
   * to come are read from; those of the last few hundred blocks are kept for a revert.
   */
  replacedNodes: ByteCache<RecordPosition, NodeRecord>
  codes: ByteCache
}

/** What state caches take where nothing else is said. */
export const DEFAULT_CACHE_BYTES: number = 32 * 1024 * 1024

/** The shares of the memory that trie nodes have; codes have the rest. */
const NODE_SHARE = 5 / 8
const REPLACED_SHARE = 1 / 8

/**
 * Caches within a limit of memory. All chains of one database may share them: the limit then holds for all of them
 * together.
 */
export function createStateCaches(limitBytes: number = DEFAULT_CACHE_BYTES): StateCaches {
  return {
    nodes: new ByteCache(limitBytes * NODE_SHARE),
    replacedNodes: new ByteCache(limitBytes * REPLACED_SHARE),
    codes: new ByteCache(limitBytes * (1 - NODE_SHARE - REPLACED_SHARE)),
  }
}
