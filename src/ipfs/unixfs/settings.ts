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
  /** The same where it is configured. */
  configuredRawLeaves?: boolean | undefined
  /** `size-<bytes>`, `rabin…` or `buzhash`. */
  chunker: string
  layout: 'balanced' | 'trickle'
  /** Links of a node of a file, at most. */
  maxFileLinks: number
  directory: DirectorySettings
}

/** How content is imported where a request says nothing else, as it is configured: numbers may make no sense. */
export interface ImportDefaults extends Omit<ImportSettings, 'cid' | 'rawLeaves' | 'configuredRawLeaves'> {
  /** undefined: as the hash function needs it. */
  cidVersion: number | undefined
  hashName: string
  /** undefined: with CIDs of version 1. */
  rawLeaves: boolean | undefined
}

/** The import settings of a node where nothing says otherwise, by Kubo's names (Kubo, docs/config.md, profiles; IPIP-499). */
export type ImportProfile = 'unixfs-v0-2015' | 'unixfs-v1-2025'
