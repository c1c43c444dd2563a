import type { ChainBase } from '../chain/reader.js'
import type { Chain } from '../chain/chain.js'
import { ChainStoppedError, RemoteStateError, UnsupportedControlError } from '../chain/errors.js'
import type { ForkSchedule, MovableSchedule } from '../chain/evm/forkSchedule.js'
import { Mutex } from '../encoding/timeSlice.js'
import type { NodeSettings } from '../options.js'
import type { ForkTarget } from '../rpc/controls.js'
import { networkRange } from '../storage/keyspace.js'
import type { NetworkManifest } from '../storage/manifest.js'
import { type Fork, type ForkSettings, openFork, splitUrl } from './fork/openFork.js'
import { ForkError, type RemoteReads } from './fork/remoteClient.js'
import type { ForkCaches } from './fork/stateCache.js'
import type { NetworkData } from './network.js'

/** Base that a chain stands on: a genesis, or a block of a remote chain. */
export interface OpenedBase {
  /** The network's number in database keys. */
  index: number
  base: ChainBase
  schedule: ForkSchedule
  fork: Fork | undefined
}

/** Dependencies of the bases of a chain. */
export interface ChainBasesParts {
  chain: Chain
  /** The base that the chain was started on. */
  home: OpenedBase
  schedules: MovableSchedule
  data: NetworkData
  /** The network's manifest entry. */
  entry: NetworkManifest
  settings: ForkSettings & Pick<NodeSettings, 'allowRemoteReset' | 'timestamp'>
  caches: ForkCaches
  /** Intercepts reads of remotes. */
  reads: RemoteReads | undefined
  /** Rebuilds the genesis of a base and starts there; only for the node's own chain. */
  renew(base: ChainBase): Promise<ChainBase>
  /** Opens a base on a fork, storing its first block if necessary. */
  open(fork: Fork, index: number): Promise<Pick<OpenedBase, 'base' | 'schedule'>>
  /** Called with the fork that the chain now stands on, if any. */
  entered(fork: Fork | undefined): void
}

/**
 * The bases of a chain: its home, where it was started, and the remote block to which a reset has taken it.
 *
 * Each base has its own number in the database, and the manifest records the current one. Data left behind by a reset
 * stays until its number is reused, for reads still in progress.
 */
export class ChainBases {
  readonly #parts: ChainBasesParts
  readonly #mutex = new Mutex()
  #current: OpenedBase
  /** Number of the last prepared base, which may not be in the manifest yet. */
  #prepared: number | undefined
  readonly #closing = new AbortController()
  /** A fork being opened, or opened but not entered yet. */
  #opened: Fork | undefined

  constructor(parts: ChainBasesParts) {
    this.#parts = parts
    this.#current = parts.home
    parts.entered(parts.home.fork)
  }

  /** The remote chain that the chain currently continues. */
  get fork(): Fork | undefined {
    return this.#current.fork
  }

  /** Runs a reset exclusively. */
  exclusively<T>(reset: () => Promise<T>): Promise<T> {
    return this.#mutex.run(reset)
  }

  /** Returns to the base to which a reset had taken the chain before the node stopped. */
  async resume(): Promise<void> {
    const { chain, entry } = this.#parts
    if (entry.resetTo === undefined) return
    const { index, block, url } = entry.resetTo
    const fork = await this.#openFork(url ?? this.#homeUrl(), BigInt(block))
    this.#stand(await this.#openBaseOf(fork, index))
    await chain.restore()
  }

  /**
   * Prepares the base for a reset and stores its first block. Without an order it is the home.
   *
   * @throws UnsupportedControlError if the URL is not one that the node was started with, or is missing without a fork;
   * RemoteStateError if the remote cannot be used
   */
  async prepare(order: ForkTarget | undefined): Promise<OpenedBase> {
    if (order === undefined) return this.#parts.home
    const url = order.url ?? this.fork?.url
    if (url === undefined) {
      throw new UnsupportedControlError('Forking not enabled and RPC URL not provided to start forking')
    }
    this.#checkAllowed(url)
    try {
      const fork = await this.#openFork(url, order.blockNumber)
      this.#opened = fork
      const index = this.#takeNumber()
      await this.#parts.data.database.clear(networkRange(index))
      return await this.#openBaseOf(fork, index)
    } catch (error) {
      this.abandon()
      throw error instanceof ForkError ? new RemoteStateError(error.message, { cause: error }) : error
    }
  }

  /**
   * Moves the chain to a base, if it is not there yet, after saving that in the manifest. Call this only in the chain's
   * turn and with an empty mempool.
   *
   * @returns whether the base changed
   */
  enter(opened: OpenedBase): boolean {
    const { chain, home, entry, data, settings } = this.#parts
    const previous = this.#current
    if (opened === previous) return false
    const before = entry.resetTo
    setResetTo(entry, opened === home ? undefined : this.#record(opened))
    try {
      data.saveManifest()
    } catch (error) {
      // Otherwise the next save would send the chain there on the next start.
      setResetTo(entry, before)
      throw error
    }
    this.#stand(opened)
    if (previous !== home) previous.fork?.close()
    chain.settings.gasLimit = opened.base.first.header.gasLimit
    if (opened !== home && settings.timestamp === undefined) {
      chain.clock.set(opened.base.first.header.timestamp)
    }
    return true
  }

  /** Rebuilds the genesis if the base has one. Call this only in the chain's turn and with an empty mempool. */
  async rebuildHomeGenesis(opened: OpenedBase): Promise<void> {
    const { chain, renew } = this.#parts
    if (opened.fork !== undefined) return
    opened.base = await renew(opened.base)
    if (opened === this.#current) chain.switchBase(opened.base)
  }

  /**
   * Switches to another node of the same chain. Does nothing without a fork.
   *
   * @throws UnsupportedControlError if the node was not started with the URL; RemoteStateError if the node serves
   * another chain
   */
  async setUrl(url: string): Promise<void> {
    const { fork } = this
    if (fork === undefined) return
    this.#checkAllowed(url)
    await fork.redirect(url).catch((error: unknown) => {
      throw error instanceof ForkError ? new RemoteStateError(error.message, { cause: error }) : error
    })
  }

  /** Closes what {@link prepare} has opened, if the chain was not moved there. */
  abandon(): void {
    this.#opened?.close()
    this.#opened = undefined
  }

  /** Aborts requests to remotes and waits for the reset in progress; no further one can start. */
  async close(): Promise<void> {
    this.#closing.abort()
    this.#closeForks()
    await this.#mutex.close(() => new ChainStoppedError())
    this.#closeForks()
  }

  #closeForks(): void {
    this.#parts.home.fork?.close()
    this.fork?.close()
    this.#opened?.close()
  }

  #stand(opened: OpenedBase): void {
    const { chain, schedules, entered } = this.#parts
    this.#current = opened
    this.#opened = undefined
    schedules.replace(opened.schedule)
    chain.switchBase(opened.base)
    entered(opened.fork)
  }

  /** Prevents callers from making the node fetch URLs that its operator has not configured. */
  #checkAllowed(url: string): void {
    const { settings, home } = this.#parts
    if (settings.allowRemoteReset || isSameUrl(url, this.fork?.url) || isSameUrl(url, home.fork?.url)) return
    throw new UnsupportedControlError(
      'a call may not choose the URL to fork from; start the node with --allow-remote-reset to allow it',
    )
  }

  async #openFork(url: string | undefined, block: bigint | undefined): Promise<Fork> {
    const { settings, caches, reads } = this.#parts
    // Headers may contain secrets, so they are sent only to the host given on the command line.
    const given = settings.forkUrl === undefined ? undefined : splitUrl(settings.forkUrl).url
    const forkHeader = url !== undefined && isSameHost(url, given) ? settings.forkHeader : []
    const fork = await openFork(
      { ...settings, forkUrl: url, forkBlock: block, forkHeader },
      { caches, reads, signal: this.#closing.signal },
    )
    if (fork === undefined) throw new ForkError('the data is that of a fork: --fork-url is required')
    return fork
  }

  /** Opens the base of a fork; closes the fork on failure. */
  async #openBaseOf(fork: Fork, index: number): Promise<OpenedBase> {
    try {
      return { index, fork, ...(await this.#parts.open(fork, index)) }
    } catch (error) {
      fork.close()
      throw error
    }
  }

  #homeUrl(): string | undefined {
    return this.#parts.home.fork?.url
  }

  /** Omits the URL from the manifest if it is the command line's. */
  #record({ index, fork, base }: OpenedBase): NetworkManifest['resetTo'] {
    const isGiven = fork !== undefined && isSameUrl(fork.url, this.#homeUrl())
    const block = base.first.header.number.toString()
    return { index, block, ...(!isGiven && { url: fork?.url }) }
  }

  /**
   * Takes a number for a new base, from the top; networks are numbered from the bottom. Resets of a chain never
   * overlap, so the previous number is either in the manifest by now or unused.
   */
  #takeNumber(): number {
    const { numbers } = this.#parts.data
    if (this.#prepared !== undefined) numbers.release(this.#prepared)
    this.#prepared = numbers.allocateHighest()
    return this.#prepared
  }
}

function setResetTo(entry: NetworkManifest, resetTo: NetworkManifest['resetTo']): void {
  if (resetTo === undefined) delete entry.resetTo
  else entry.resetTo = resetTo
}

function isSameUrl(url: string, other: string | undefined): boolean {
  return other !== undefined && new URL(url).href === new URL(other).href
}

function isSameHost(url: string, other: string | undefined): boolean {
  return other !== undefined && new URL(url).origin === new URL(other).origin
}
