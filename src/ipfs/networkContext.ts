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
  /** Shared by whatever makes blocks needed that may already be stored; alone for garbage collection. */
  collectionLock: SharedLock
  /** How content is imported where a request does not say otherwise. */
  importSettings: ImportSettings
  identity: Identity
}

/** A lock that many may share, or one may have alone; those who ask are served in order. */
export interface SharedLock {
  share<T>(task: () => Promise<T>): Promise<T>
  alone<T>(task: () => Promise<T>): Promise<T>
}

/** A new lock, free. */
export function createSharedLock(): SharedLock {
  let lastAlone: Promise<unknown> = Promise.resolve()
  const sharing = new Set<Promise<unknown>>()

  return {
    share(task) {
      const result = lastAlone.then(task)
      const settled: Promise<unknown> = result.then(
        () => sharing.delete(settled),
        () => sharing.delete(settled),
      )
      sharing.add(settled)
      return result
    },
    alone(task) {
      const result = Promise.all([lastAlone, ...sharing]).then(task)
      lastAlone = result.catch(() => undefined)
      return result
    },
  }
}
