import type { Network } from '../network/network.js'
import type { NetworkName } from '../provider/networks.js'
import type { Dispatcher } from '../rpc/dispatcher.js'
import { inOrder } from './inOrder.js'

/** Opens one of the node's networks. */
export type OpenNamed = (network: NetworkName) => Promise<Network>

/** A network as the control API describes it. */
export interface NetworkDescription {
  name: string
  chainId: string
  /** Whether it has been used, so that its chain is there. */
  isOpen: boolean
  fork?: { url: string; number: string }
}

/** The networks of a node. Each is opened when it is first used. */
export class NetworkMap {
  readonly names: readonly NetworkName[]
  readonly #open: OpenNamed
  readonly #opened = new Map<string, Network>()
  readonly #opening = new Map<string, Promise<Network>>()

  constructor(names: readonly NetworkName[], open: OpenNamed) {
    this.names = names
    this.#open = open
  }

  /** The network of a name that `names` holds. */
  async get(name: string): Promise<Network> {
    const opening = this.#opening.get(name) ?? this.#begin(name)
    return opening
  }

  /** Its dispatcher, at once if the network is open already. */
  dispatcher(name: string): Dispatcher | Promise<Dispatcher> {
    const opened = this.#opened.get(name)
    return opened?.dispatcher ?? this.get(name).then(({ dispatcher }) => dispatcher)
  }

  /** Those that are open. */
  opened(): Network[] {
    return [...this.#opened.values()]
  }

  /** What the networks are, for people. */
  describe(): NetworkDescription[] {
    return this.names.map(({ name, chainId }) => {
      const opened = this.#opened.get(name)
      return {
        name,
        chainId: String(opened?.chainId ?? chainId),
        isOpen: opened !== undefined,
        ...(opened?.fork !== undefined && {
          fork: { url: opened.fork.url, number: String(opened.fork.number) },
        }),
      }
    })
  }

  /** Lets what takes long on the open networks end early. */
  windDown(): void {
    for (const network of this.opened()) network.windDown()
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
