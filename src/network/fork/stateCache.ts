import { appendFileSync, closeSync, existsSync, openSync } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { RemoteAccount } from '../../chain/fork/overlay.js'
import { errorText } from '../../encoding/errorText.js'
import { type Hex, bytesToHex, hexToBytes } from '../../encoding/hex.js'
import { TimeSlice } from '../../encoding/timeSlice.js'
import type { NodeSettings } from '../../options.js'
import { userCacheDirectory } from '../../storage/directories.js'

/** An account as a line of the file: address, nonce, balance, code. */
type AccountLine = ['account', address: string, nonce: string, balance: string, code: Hex]
/** A slot as a line of the file: address, slot, value. */
type SlotLine = ['slot', address: string, slot: string, value: Hex]

/** Approximate bytes of all accounts and slots in memory, and of each without its code. */
const CAPACITY = 128 * 1024 * 1024
const ENTRY_BYTES = 512

/**
 * Cache of fetched remote state, in memory and, given a path, in a file for later runs. The file grows by whole lines,
 * so several nodes may append to it; a line torn by a crash is skipped. Memory holds what was used last.
 */
export class StateCache {
  /** Slots by address and slot, accounts by address, from the least recently used; `null` is no account. */
  readonly #entries = new Map<string, RemoteAccount | Uint8Array | null>()
  #size = 0
  readonly #onFailure: (reason: unknown) => void
  #file: number | undefined

  private constructor(onFailure: (reason: unknown) => void) {
    this.#onFailure = onFailure
  }

  /**
   * Opens a cache. Yields to other work while reading the file: a reset opens one in a running node.
   *
   * @param path - of the file; if undefined, nothing is persisted
   * @param onFailure - called with the reason if persisting fails
   */
  static async open(
    path?: string,
    onFailure: (reason: unknown) => void = () => undefined,
  ): Promise<StateCache> {
    const cache = new StateCache(onFailure)
    if (path === undefined) return cache
    try {
      await cache.#read(path)
      await mkdir(dirname(path), { recursive: true })
      cache.#file = openSync(path, 'a')
    } catch (reason) {
      onFailure(reason)
    }
    return cache
  }

  hasAccount(address: Uint8Array): boolean {
    return this.#entries.has(bytesToHex(address))
  }

  account(address: Uint8Array): RemoteAccount | undefined {
    return (this.#use(bytesToHex(address)) as RemoteAccount | null | undefined) ?? undefined
  }

  slot(address: Uint8Array, slot: Uint8Array): Uint8Array | undefined {
    return this.#use(bytesToHex(address) + bytesToHex(slot)) as Uint8Array | undefined
  }

  putAccount(address: Uint8Array, account: RemoteAccount | undefined): void {
    const { nonce, balance, code } = account ?? { nonce: 0n, balance: 0n, code: new Uint8Array(0) }
    this.#keep(bytesToHex(address), account ?? null)
    this.#append(['account', bytesToHex(address), nonce.toString(), balance.toString(), bytesToHex(code)])
  }

  putSlot(address: Uint8Array, slot: Uint8Array, value: Uint8Array): void {
    this.#keep(bytesToHex(address) + bytesToHex(slot), value)
    this.#append(['slot', bytesToHex(address), bytesToHex(slot), bytesToHex(value)])
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }

  /** Returns an entry, which becomes the last used. */
  #use(key: string): RemoteAccount | Uint8Array | null | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry
  }

  #keep(key: string, entry: RemoteAccount | Uint8Array | null): void {
    this.#forget(key)
    this.#entries.set(key, entry)
    this.#size += sizeOf(entry)
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= CAPACITY) return
      this.#forget(oldest)
    }
  }

  #forget(key: string): void {
    const entry = this.#entries.get(key)
    if (entry !== undefined && this.#entries.delete(key)) this.#size -= sizeOf(entry)
  }

  /** If the disk refuses, later state is only in memory: no answer depends on the file. */
  #append(line: AccountLine | SlotLine): void {
    if (this.#file === undefined) return
    try {
      appendFileSync(this.#file, `${JSON.stringify(line)}\n`)
    } catch (reason) {
      this.close()
      this.#onFailure(reason)
    }
  }

  async #read(path: string): Promise<void> {
    if (!existsSync(path)) return
    const slice = new TimeSlice()
    const file = await open(path)
    for await (const line of file.readLines()) {
      const pause = slice.pause()
      if (pause !== undefined) await pause
      this.#readLine(line)
    }
  }

  #readLine(text: string): void {
    let line: AccountLine | SlotLine
    try {
      line = JSON.parse(text) as AccountLine | SlotLine
    } catch {
      return
    }
    if (line[0] === 'slot') this.#keep(line[1] + line[2], hexToBytes(line[3]))
    else {
      const [, address, nonce, balance, code] = line
      const account = { nonce: BigInt(nonce), balance: BigInt(balance), code: hexToBytes(code) }
      this.#keep(address, isEmpty(account) ? null : account)
    }
  }
}

function sizeOf(entry: RemoteAccount | Uint8Array | null): number {
  return ENTRY_BYTES + (entry !== null && 'code' in entry ? entry.code.length : 0)
}

/** Whether an account does not exist, as far as the remote's answers can tell (EIP-161). */
export function isEmpty({ nonce, balance, code }: RemoteAccount): boolean {
  return nonce === 0n && balance === 0n && code.length === 0
}

/** The state that a cache holds: that of a chain after one block. */
export interface CacheSubject {
  chainId: bigint
  number: bigint
  /** 32 bytes; distinguishes development chains with the same id. */
  hash: Uint8Array
}

/** State caches of a network's forks. Warns only once if a cache cannot be used. */
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

  /** Opens the cache for a remote's state after one block. */
  open(url: string, subject: CacheSubject): Promise<StateCache> {
    const { forkCache, noForkCache } = this.#settings
    if (noForkCache || (forkCache === undefined && isLocal(url))) return StateCache.open()
    const directory = forkCache ?? userCacheDirectory('fork')
    return StateCache.open(cacheFile(directory, subject), (reason) => this.#warnOnce(directory, reason))
  }

  #warnOnce(directory: string, reason: unknown): void {
    if (this.#hasWarned) return
    this.#hasWarned = true
    const message = errorText(reason)
    this.#warn(`cannot cache the state of the fork for later runs in ${directory}: ${message}`)
  }
}

/** Whether a URL is on this machine, where a node may serve another chain in the next run. */
function isLocal(url: string): boolean {
  const { hostname } = new URL(url)
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.')
}

/** Path of the cache file, one per chain and block. */
function cacheFile(directory: string, { chainId, number, hash }: CacheSubject): string {
  return join(directory, chainId.toString(), `${number}-${bytesToHex(hash).slice(2, 18)}.ndjson`)
}
