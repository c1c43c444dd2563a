import type { CidFormat } from '../cid/cidFormat.js'

/** How to estimate a directory's size when deciding whether to shard it (IPIP-499). */
export type DirectorySizeEstimation =
  /** Length of the names and CIDs of its links. */
  | 'links'
  /** Length of its encoded block. */
  | 'block'

/** When and how to shard directories. */
export interface DirectorySettings {
  /** Shard directories whose estimated size exceeds this, in bytes. */
  shardThreshold: number
  estimation: DirectorySizeEstimation
  /** Shard directories with more entries than this; 0: no limit. */
  maxLinks: number
  /** Slots per shard: a power of two and a multiple of 8. */
  fanout: number
}

/** Settings for importing files and directories. */
export interface ImportSettings {
  cid: CidFormat
  rawLeaves: boolean
  /** The configured `rawLeaves`, if any. */
  configuredRawLeaves?: boolean | undefined
  /** `size-<bytes>`, `rabin…` or `buzhash`. */
  chunker: string
  layout: 'balanced' | 'trickle'
  /** Maximum number of links in a file node. */
  maxFileLinks: number
  directory: DirectorySettings
}

/** Configured import settings, for requests that do not give their own; numbers are not validated. */
export interface ImportDefaults extends Omit<ImportSettings, 'cid' | 'rawLeaves' | 'configuredRawLeaves'> {
  /** Undefined: as the hash function requires. */
  cidVersion: number | undefined
  hashName: string
  /** Undefined: only with CIDv1. */
  rawLeaves: boolean | undefined
}

/** Default import settings, under Kubo's profile names (Kubo, docs/config.md, profiles; IPIP-499). */
export type ImportProfile = 'unixfs-v0-2015' | 'unixfs-v1-2025'
