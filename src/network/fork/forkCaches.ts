import { homedir } from 'node:os'
import { join } from 'node:path'
import { bytesToHex } from '../../encoding/hex.js'
import type { NodeSettings } from '../../options.js'
import { StateCache } from './stateCache.js'

/** Which state a cache keeps: that of a chain after one block. */
export interface CacheSubject {
  chainId: bigint
  number: bigint
  /** 32 bytes; tells development chains of one id apart. */
  hash: Uint8Array
}

/** The caches of what a network's forks fetch. A cache that cannot be used is a warning, the first time. */
export class ForkCaches {
  readonly #settings: Pick<NodeSettings, 'forkCache' | 'noForkCache'>
  readonly #warn: (message: string) => void
  #hasWarned = false

  constructor(
    settings: Pick<NodeSettings, 'forkCache' | 'noForkCache'>,
    warn: (message: string) => void = () => undefined,
  ) {
    this.#settings = settings
    this.#warn = warn
  }

  /** The cache for the state of a remote at `url` after one block. */
  open(url: string, subject: CacheSubject): StateCache {
    const { forkCache, noForkCache } = this.#settings
    if (noForkCache || (forkCache === undefined && isLocal(url))) return new StateCache()
    const directory = forkCache ?? defaultCacheDirectory(process.env)
    return new StateCache(cacheFile(directory, subject), (reason) => this.#tell(directory, reason))
  }

  #tell(directory: string, reason: unknown): void {
    if (this.#hasWarned) return
    this.#hasWarned = true
    const words = reason instanceof Error ? reason.message : String(reason)
    this.#warn(`what the fork fetches is not kept for later runs in ${directory}: ${words}`)
  }
}

/** What a node on this machine says may be another thing in the next run. */
function isLocal(url: string): boolean {
  const { hostname } = new URL(url)
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.')
}

/** The file of a cache: one for each chain and block. */
function cacheFile(directory: string, { chainId, number, hash }: CacheSubject): string {
  return join(directory, chainId.toString(), `${number}-${bytesToHex(hash).slice(2, 18)}.ndjson`)
}

/** Where state of remotes is kept unless told otherwise. */
function defaultCacheDirectory(environment: Readonly<Record<string, string | undefined>>): string {
  return join(environment['XDG_CACHE_HOME'] ?? join(homeDirectory(), '.cache'), 'standin', 'fork')
}

/** A user without an entry in the system's list of users, as in some containers, has none. */
function homeDirectory(): string {
  try {
    return homedir()
  } catch {
    return '/'
  }
}
