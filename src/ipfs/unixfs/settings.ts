import { hashFunctionByName } from '../cid/hashFunctions.js'
import type { CidFormat } from '../cid/cidFormat.js'

/** How the size of a directory is estimated when it is decided whether to split it (IPIP-499). */
export type DirectorySizeEstimation =
  /** The names and CIDs of its links. */
  | 'links'
  /** Its block as it would be stored. */
  | 'block'

/** When directories become sharded, and how. */
export interface DirectorySettings {
  /** A directory is sharded when its estimated size, in bytes, is greater than this. */
  shardThreshold: number
  estimation: DirectorySizeEstimation
  /** A directory with more entries than this is sharded whatever its size; 0: no such limit. */
  maxLinks: number
  /** Slots of a shard: a power of two and a multiple of 8. */
  fanout: number
}

/** How files and directories become blocks. */
export interface ImportSettings {
  cid: CidFormat
  rawLeaves: boolean
  /** `size-<bytes>`, `rabin…` or `buzhash`. */
  chunker: string
  layout: 'balanced' | 'trickle'
  /** Links of a node of a file, at most. */
  maxFileLinks: number
  directory: DirectorySettings
}

/** The import settings of a node where a request says nothing else, by Kubo's names. */
export type ImportProfile = 'unixfs-v0-2015' | 'unixfs-v1-2025'

/** The settings of an import profile (Kubo, docs/config.md, profiles; IPIP-499). */
export async function importSettings(profile: ImportProfile): Promise<ImportSettings> {
  const hash = await hashFunctionByName('sha2-256')
  const directory = { shardThreshold: 262_144, maxLinks: 0, fanout: 256 }
  if (profile === 'unixfs-v1-2025') {
    return {
      cid: { version: 1, hash },
      rawLeaves: true,
      chunker: 'size-1048576',
      layout: 'balanced',
      maxFileLinks: 1024,
      directory: { ...directory, estimation: 'block' },
    }
  }
  return {
    cid: { version: 0, hash },
    rawLeaves: false,
    chunker: 'size-262144',
    layout: 'balanced',
    maxFileLinks: 174,
    directory: { ...directory, estimation: 'links' },
  }
}
