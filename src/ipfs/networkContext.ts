import type { MutableFiles } from './mfs/mutableFiles.js'
import type { Blockstore } from './store/blockstore.js'
import type { Identity } from './store/identity.js'
import type { Pins } from './store/pins.js'
import type { SharedLock } from './store/sharedLock.js'
import type { ImportSettings } from './unixfs/settings.js'

/** What commands work with. */
export interface NetworkContext {
  /** Where the data lies. */
  directory: string
  blockstore: Blockstore
  pins: Pins
  /** The files of `files/…`. */
  files: MutableFiles
  /** Shared by whatever makes blocks needed that may already be stored; alone for garbage collection. */
  collectionLock: SharedLock
  /** How content is imported where a request does not say otherwise. */
  importSettings: ImportSettings
  identity: Identity
}
