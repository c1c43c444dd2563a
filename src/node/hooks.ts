import type { StoredBlock } from '../chain/block/record.js'
import type { ImportProgress } from '../chain/import/chainFile.js'
import type { JournalEntry } from '../provider/journal/entry.js'

/** Told of what happens in a node. */
export interface NodeHooks {
  /** Something that the user should know, in one line. */
  warn?(message: string): void
  /** A network has a new head. */
  block?(network: string, block: StoredBlock): void
  /** Blocks of a file are being imported. */
  importing?(progress: ImportProgress): void
  /** A request has failed. */
  failure?(entry: Omit<JournalEntry, 'id'>): void
  /** What contracts do, for developers to read: console.log, why transactions fail, traces; may have several lines. */
  tell?(network: string, text: string): void
  /** Whether `tell` may be given colours, as ECMA-48 has them. */
  colours?: boolean
  /** A fault of ours. */
  fault?(place: string, fault: unknown): void
}
