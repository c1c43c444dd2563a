import type { ReadWriteLock } from '../encoding/mutex.js'
import type { MutableFiles } from './mfs/mutableFiles.js'
import type { Blockstore } from './store/blockstore.js'
import type { Identity } from './store/identity.js'
import type { Pins } from './store/pins.js'
import type { ImportSettings } from './unixfs/settings.js'

/** What commands work with. */
export interface NetworkContext {
  /** Where the data lies. */
  directory: string
  blockstore: Blockstore
  pins: Pins
  /** The files of `files/…`. */
  files: MutableFiles
  /** Shared by whatever makes stored blocks needed; exclusive for garbage collection. */
  collectionLock: ReadWriteLock
  /** How content is imported where a request does not say otherwise. */
  importSettings: ImportSettings
  identity: Identity
}
