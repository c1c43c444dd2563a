import { join } from 'node:path'
import { openStoredChain } from '../chain/maintenance/keptStates.js'
import { type Pruned, pruneStates } from '../chain/maintenance/prune.js'
import { blockEncoder } from '../rpc/format/block.js'
import { type Database, openDatabase } from '../storage/database.js'
import { DataDirectoryError } from '../storage/errors.js'
import { keyspaceOf } from '../storage/keyspace.js'
import { lockDirectory } from '../storage/lock.js'
import { type Manifest, readManifest } from '../storage/manifest.js'

/** A data directory opened exclusively, without a node. */
export interface StoredData {
  directory: string
  manifest: Manifest
  database: Database
}

/** A chain in a data directory. */
export interface StoredChainName {
  /** Name of the network, with the block of the reset if a reset has created this chain. */
  name: string
  /** Number in database keys. */
  index: number
}

/**
 * Opens a data directory for a command, and closes it after `use`.
 *
 * @throws DataDirectoryError if there is none, it is damaged or of another format, or a node has it open
 */
export async function withStoredData<T>(
  directory: string,
  use: (data: StoredData) => Promise<T>,
): Promise<T> {
  const manifest = readManifest(directory)
  if (manifest === undefined) throw new DataDirectoryError(`There is no chain in ${directory}.`)
  const lock = lockDirectory(directory)
  try {
    const database = await openDatabase({ directory: join(directory, 'chain'), sync: true })
    try {
      return await use({ directory, manifest, database })
    } finally {
      await database.close()
    }
  } finally {
    lock.release()
  }
}

/** Lists the chains of a data directory: one per network, plus one if a reset has taken it to a fork. */
export function storedChains({ networks }: Manifest): StoredChainName[] {
  return Object.entries(networks).flatMap(([name, { index, resetTo }]) => [
    { name, index },
    ...(resetTo === undefined
      ? []
      : [{ name: `${name}, reset to block ${resetTo.block}`, index: resetTo.index }]),
  ])
}

/** What was deleted from one chain. */
export interface PrunedChain extends Pruned {
  name: string
}

/**
 * Deletes the states of old blocks from every chain of a data directory.
 *
 * @param keep - how many of each chain's newest blocks keep their states, at least 1
 * @throws DataDirectoryError if there is no chain, it is damaged, or a node has it open
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
