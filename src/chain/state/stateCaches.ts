import { ByteCache } from './byteCache.js'

/** What was read or made of tries and codes, each under the 32-byte hash of its bytes. */
export interface StateCaches {
  nodes: ByteCache
  codes: ByteCache
}

/** What state caches take where nothing else is said. */
export const DEFAULT_CACHE_BYTES: number = 32 * 1024 * 1024

/** The share of the memory that trie nodes have; codes have the rest. */
const NODE_SHARE = 3 / 4

/**
 * Caches within a limit of memory. Bytes are named by their hash, so all chains of a node may share them: the limit
 * then holds for all of them together.
 */
export function createStateCaches(limitBytes: number = DEFAULT_CACHE_BYTES): StateCaches {
  return {
    nodes: new ByteCache(limitBytes * NODE_SHARE),
    codes: new ByteCache(limitBytes * (1 - NODE_SHARE)),
  }
}
