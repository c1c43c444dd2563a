import { ByteCache } from './byteCache.js'
import type { NodeNumber, NodeRecord } from './nodeRecord.js'

/** Trie nodes that were read or made, by their numbers, and codes by their 32-byte hash. */
export interface StateCaches {
  nodes: ByteCache<NodeNumber, NodeRecord>
  /**
   * Nodes that a later state has others in the place of. Each block makes a dozen, which would crowd out what all states
   * to come are read from; those of the last dozen blocks are kept for a revert, and what lies further back is read from
   * LevelDB. More of them would outlive V8's young generation, whose collections copy what is alive.
   */
  replacedNodes: ByteCache<NodeNumber, NodeRecord>
  codes: ByteCache
}

/** What state caches take where nothing else is said. */
export const DEFAULT_CACHE_BYTES: number = 32 * 1024 * 1024

/** The shares of the memory that codes and replaced nodes have; the other nodes have the rest. */
const CODE_SHARE = 1 / 4
const REPLACED_SHARE = 1 / 128

/**
 * Caches within a limit of memory. All chains of one database may share them: the limit then holds for all of them
 * together.
 */
export function createStateCaches(limitBytes: number = DEFAULT_CACHE_BYTES): StateCaches {
  return {
    nodes: new ByteCache(limitBytes * (1 - CODE_SHARE - REPLACED_SHARE)),
    replacedNodes: new ByteCache(limitBytes * REPLACED_SHARE),
    codes: new ByteCache(limitBytes * CODE_SHARE),
  }
}
