import { openStoredChain } from '../chain/maintenance/keptStates.js'
import { type Pruned, pruneStates } from '../chain/maintenance/prune.js'
import { blockEncoder } from '../rpc/format/blockEncoder.js'
import { keyspaceOf } from '../storage/keyspace.js'
import { storedChains, withStoredData } from './storedData.js'

/** What was deleted from one chain. */
export interface PrunedChain extends Pruned {
  name: string
}

/**
 * Deletes the states of old blocks from every chain of a data directory.
 *
 * @param keep - how many of the newest blocks of each chain keep their states, at least 1
 * @throws DataDirectoryError if there is no chain, it is damaged, or a node has it open.
 */
export function pruneData(dataDir: string, keep: bigint): Promise<PrunedChain[]> {
  return withStoredData(dataDir, async ({ manifest, database }) => {
    const pruned: PrunedChain[] = []
    for (const { name, index } of storedChains(manifest)) {
      const chain = await openStoredChain(database, keyspaceOf(index), blockEncoder)
      if (chain.head >= 0n) pruned.push({ name, ...(await pruneStates(chain, keep)) })
    }
    return pruned
  })
}
