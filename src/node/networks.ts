import type { StoredBlock } from '../chain/block/record.js'
import type { ImportProgress } from '../chain/import/chainFile.js'
import type { ChainWatch } from '../control/chainWatch.js'
import type { Awaitable } from '../encoding/timeSlice.js'
import type { Network } from '../network/network.js'
import type { NodeSettings } from '../options.js'
import type { JournalEntry } from '../provider/journal/journal.js'
import { type NetworkName, standardNetwork } from '../provider/networks.js'
import { ProviderCallPolicy } from '../provider/policy/callPolicy.js'
import type { Provider } from '../provider/provider.js'
import { setQuotaTime } from '../provider/quota/clock.js'
import type { RpcPipeline } from '../rpc/pipeline.js'
import { type CurrentCassette, remoteReadsOf } from './cassette.js'
import { type NodeData, inOrder } from './data.js'

/** Opens one of the node's networks. */
export type OpenNetwork = (network: NetworkName) => Promise<Network>

/** A network as described by the control API. */
export interface NetworkDescription {
  name: string
  chainId: string
  /** Whether it has been used, so that its chain is open. */
  isOpen: boolean
  fork?: { url: string; number: string }
  /** Addresses that need no signature, not counting `--auto-impersonate`. */
  impersonated: string[]
}

/** The networks of a node, each opened on first use. */
export class NetworkMap {
  readonly names: readonly NetworkName[]
  readonly #open: OpenNetwork
  readonly #opened = new Map<string, Network>()
  readonly #opening = new Map<string, Promise<Network>>()

  constructor(names: readonly NetworkName[], open: OpenNetwork) {
    this.names = names
    this.#open = open
  }

  /** Returns a network by name, which must be in `names`. */
  async get(name: string): Promise<Network> {
    const opening = this.#opening.get(name) ?? this.#begin(name)
    return opening
  }

  /** Returns a network's pipeline, synchronously if it is open. */
  readonly pipeline = (name: string): Awaitable<RpcPipeline> => {
    const opened = this.#opened.get(name)
    return opened?.pipeline ?? this.get(name).then(({ pipeline }) => pipeline)
  }

  /** Returns the open networks. */
  opened(): Network[] {
    return [...this.#opened.values()]
  }

  /** Describes the networks. */
  describe(): NetworkDescription[] {
    return this.names.map(({ name, chainId }) => {
      const opened = this.#opened.get(name)
      return {
        name,
        chainId: String(opened?.chainId ?? chainId),
        isOpen: opened !== undefined,
        impersonated: opened?.impersonated() ?? [],
        ...(opened?.fork !== undefined && {
          fork: { url: opened.fork.url, number: String(opened.fork.number) },
        }),
      }
    })
  }

  /** Lets long-running work on the open networks end early. */
  beginStop(): void {
    for (const network of this.opened()) network.beginStop()
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#opening.values())
    await inOrder(this.opened().map((network) => () => network.close()))
  }

  #begin(name: string): Promise<Network> {
    const named = this.names.find((network) => network.name === name)
    if (named === undefined) throw new Error(`there is no network ${name}`)
    const opening = this.#open(named)
    this.#opening.set(name, opening)
    opening.then(
      (network) => this.#opened.set(name, network),
      // The next request tries again.
      () => this.#opening.delete(name),
    )
    return opening
  }
}

/** Dependencies of all networks of a node. */
export interface NetworkParts {
  settings: NodeSettings
  hooks: NodeHooks
  provider: Provider
  data: Promise<NodeData>
  /** Observes the events of all chains. */
  chains: ChainWatch
  cassette: CurrentCassette
}

/**
 * Opens one of a node's networks with its call policy. The chain's modules are loaded with the first one.
 *
 * @throws OptionError or DataDirectoryError
 */
export async function openNodeNetwork({ name, chainId }: NetworkName, parts: NetworkParts): Promise<Network> {
  const { settings, hooks, provider, data } = parts
  const [{ openNetwork }, opened] = await Promise.all([import('../network.js'), data])
  const policy = new ProviderCallPolicy(provider, name)
  const network = await openNetwork({
    name,
    chainId,
    files:
      name === standardNetwork
        ? { genesis: settings.genesis, import: settings.import, progress: hooks.importing }
        : undefined,
    developer: hooks.tell && {
      tell: (text) => hooks.tell?.(name, text),
      colours: hooks.colours === true,
    },
    settings,
    data: opened,
    policy,
    interceptor: parts.cassette.interceptorOf(name),
    remoteReads: remoteReadsOf(parts.cassette, name),
    methods: [setQuotaTime(provider.clock)],
    warn: (message) => hooks.warn?.(message),
    report: (method, fault) => hooks.fault?.(method, fault),
  })
  policy.attach(network)
  network.events.subscribe((event) => {
    provider.handleEvent(name, event)
    parts.chains.handleEvent(name, event)
    if (event.type === 'head' && network.logging.enabled) hooks.block?.(name, event.block)
  })
  return network
}

/** Callbacks for events in a node. */
export interface NodeHooks {
  /** Prints a one-line warning for the user. */
  warn?(message: string): void
  /** A network has a new head. */
  block?(network: string, block: StoredBlock): void
  /** Blocks of a file are being imported. */
  importing?(progress: ImportProgress): void
  /** A request has failed. */
  failure?(entry: Omit<JournalEntry, 'id'>): void
  /**
   * Prints contract activity for developers: console.log, reasons of failed transactions, traces; may have several
   * lines. Resolves when more may be written.
   */
  tell?(network: string, text: string): Awaitable<void>
  /** Whether text for `tell` may contain ECMA-48 colours. */
  colours?: boolean
  /** An internal fault. */
  fault?(place: string, fault: unknown): void
}
