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

/** The state that commands work on. */
export interface NetworkContext {
  /** The data directory. */
  directory: string
  blockstore: Blockstore
  pins: Pins
  /** The mutable files (`files/…`). */
  files: MutableFiles
  /** Held shared by anything that makes stored blocks needed, exclusively by garbage collection. */
  collectionLock: ReadWriteLock
  configuration: Configuration
  /** Current configured import settings, for requests that do not give their own. */
  readonly importDefaults: ImportDefaults
  /** Current configured import settings of the mutable files. */
  readonly filesSettings: ImportSettings
  identity: Identity
  keystore: Keystore
  names: NameSystem
  requestLog: RequestLog
  log: NetworkLog
}
