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

/** Where a chain may stand: on a genesis, or on the block of a remote chain. */
export interface OpenedBase {
  /** The network's number in the keys of the database. */
  index: number
  base: ChainBase
  schedule: ForkSchedule
  fork: Fork | undefined
}

/** What the bases of a chain are kept with. */
export interface ChainBasesParts {
  chain: Chain
  /** What the chain was started on. */
  home: OpenedBase
  schedules: MovableSchedule
  data: NetworkData
  /** What the manifest has of the network. */
  entry: NetworkManifest
  settings: ForkSettings & Pick<NodeSettings, 'allowRemoteReset' | 'timestamp'>
  caches: ForkCaches
  /** Stands before remotes. */
  reads: RemoteReads | undefined
  /** Makes the genesis of a base anew and begins there; only of a chain of the node's own. */
  renew(base: ChainBase): Promise<ChainBase>
  /** Opens a base on a fork, which is stored first if it is not there. */
  open(fork: Fork, index: number): Promise<Pick<OpenedBase, 'base' | 'schedule'>>
  /** Told of the fork that the chain stands on now, if it is one. */
  entered(fork: Fork | undefined): void
}

/**
 * What a chain stands on: its home, which it was started on, or the block of a remote chain that a reset took it to.
 *
 * Each base lies under a number of its own in the database, and the manifest says which one it is. What a reset left
 * stays until its number is needed again, for reads that are still on their way.
 */
export class ChainBases {
  readonly #parts: ChainBasesParts
  readonly #mutex = new Mutex()
  #current: OpenedBase
  /** The number of the base that was prepared last, which the manifest may not have yet. */
  #prepared: number | undefined
  readonly #closing = new AbortController()
  /** A fork that is being opened, or was and is not stood on yet. */
  #opened: Fork | undefined

  constructor(parts: ChainBasesParts) {
    this.#parts = parts
    this.#current = parts.home
    parts.entered(parts.home.fork)
  }

  /** The remote chain that the chain goes on from now. */
  get fork(): Fork | undefined {
    return this.#current.fork
  }

  /** Runs a reset that no other one comes between. */
  exclusively<T>(reset: () => Promise<T>): Promise<T> {
    return this.#mutex.run(reset)
  }

  /** Goes back to where a reset had taken the chain before the node went down. */
  async resume(): Promise<void> {
    const { chain, entry } = this.#parts
    if (entry.resetTo === undefined) return
    const { index, block, url } = entry.resetTo
    const fork = await this.#openFork(url ?? this.#homeUrl(), BigInt(block))
    this.#stand(await this.#openBaseOf(fork, index))
    await chain.restore()
  }

  /**
   * The base that a reset asks for; its first block is stored when this returns. Without an order it is the home.
   *
   * @throws UnsupportedControlError if the order names a URL that the node was not started with, or none where there is
   * no fork; RemoteStateError if the remote cannot be used.
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
   * Moves the chain to a base, if it is not there. The manifest says so first. Only within the chain's turn, and when
   * nothing waits in the mempool.
   *
   * @returns whether the base changed
   */
  enter(opened: OpenedBase): boolean {
    const { chain, home, entry, data, settings } = this.#parts
    const left = this.#current
    if (opened === left) return false
    const before = entry.resetTo
    setResetTo(entry, opened === home ? undefined : this.#record(opened))
    try {
      data.saveManifest()
    } catch (error) {
      // The next to save the manifest would send the chain there at the next start.
      setResetTo(entry, before)
      throw error
    }
    this.#stand(opened)
    if (left !== home) left.fork?.close()
    chain.settings.gasLimit = opened.base.first.header.gasLimit
    if (opened !== home && settings.timestamp === undefined) {
      chain.clock.set(opened.base.first.header.timestamp)
    }
    return true
  }

  /**
   * Makes the genesis anew where the chain stands on one. Only within the chain's turn, and when nothing waits in the
   * mempool.
   */
  async renewHome(opened: OpenedBase): Promise<void> {
    const { chain, renew } = this.#parts
    if (opened.fork !== undefined) return
    opened.base = await renew(opened.base)
    if (opened === this.#current) chain.switchBase(opened.base)
  }

  /**
   * Asks another node of the same chain from now on. Without a fork there is nothing to ask.
   *
   * @throws UnsupportedControlError if the node was not started with the URL; RemoteStateError if it is a node of
   * another chain.
   */
  async setUrl(url: string): Promise<void> {
    const { fork } = this
    if (fork === undefined) return
    this.#checkAllowed(url)
    await fork.redirect(url).catch((error: unknown) => {
      throw error instanceof ForkError ? new RemoteStateError(error.message, { cause: error }) : error
    })
  }

  /** Lets go of what {@link prepare} has opened, if the chain was not taken there. */
  abandon(): void {
    this.#opened?.close()
    this.#opened = undefined
  }

  /** Ends every request to a remote, and waits for the reset that is under way; none begins any more. */
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

  /** A caller cannot make the node fetch what its operator has not named. */
  #checkAllowed(url: string): void {
    const { settings, home } = this.#parts
    if (settings.allowRemoteReset || isSameUrl(url, this.fork?.url) || isSameUrl(url, home.fork?.url)) return
    throw new UnsupportedControlError(
      'a node is not made to fetch from a URL by a call; start it with --allow-remote-reset to allow it',
    )
  }

  async #openFork(url: string | undefined, block: bigint | undefined): Promise<Fork> {
    const { settings, caches, reads } = this.#parts
    // Headers may be secrets: another host than that of the command line does not get them.
    const given = settings.forkUrl === undefined ? undefined : splitUrl(settings.forkUrl).url
    const forkHeader = url !== undefined && isSameHost(url, given) ? settings.forkHeader : []
    const fork = await openFork(
      { ...settings, forkUrl: url, forkBlock: block, forkHeader },
      { caches, reads, signal: this.#closing.signal },
    )
    if (fork === undefined) throw new ForkError('the data goes on from another chain: --fork-url is needed')
    return fork
  }

  /** A fork with its base; closed if there is none to be had. */
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

  /** The URL stays out of the manifest where the command line gives it. */
  #record({ index, fork, base }: OpenedBase): NetworkManifest['resetTo'] {
    const isGiven = fork !== undefined && isSameUrl(fork.url, this.#homeUrl())
    const block = base.first.header.number.toString()
    return { index, block, ...(!isGiven && { url: fork?.url }) }
  }

  /**
   * Networks are numbered from below, and bases that resets make from above. Resets of one chain follow each other:
   * what the last one took is in the manifest by now, or was for nothing.
   */
  #takeNumber(): number {
    const { numbers } = this.#parts.data
    if (this.#prepared !== undefined) numbers.release(this.#prepared)
    this.#prepared = numbers.takeGreatest()
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
