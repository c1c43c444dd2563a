import type { ReadWriteLock } from '../encoding/timeSlice.js'
import type { Configuration } from './configuration/configuration.js'
import type { Identity } from './names/identity.js'
import type { Keystore } from './names/keystore.js'
import type { NameSystem } from './names/nameSystem.js'
import type { MutableFiles } from './mfs/mutableFiles.js'
import type { NetworkLog, RequestLog } from './request/requestLog.js'
import type { Blockstore } from './store/blockstore.js'
import type { Pins } from './store/pins.js'
import type { ImportDefaults, ImportSettings } from './unixfs/settings.js'

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
  configuration: Configuration
  /** How content is imported where a request does not say otherwise; as it is configured now. */
  readonly importDefaults: ImportDefaults
  /** How the mutable files are stored, in the same way. */
  readonly filesSettings: ImportSettings
  identity: Identity
  keystore: Keystore
  names: NameSystem
  requestLog: RequestLog
  log: NetworkLog
}
