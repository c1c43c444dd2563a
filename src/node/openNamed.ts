import type { ChainWatch } from '../control/chainWatch.js'
import type { Network } from '../network/network.js'
import type { NodeSettings } from '../options.js'
import type { NetworkName } from '../provider/networks.js'
import { standardNetwork } from '../provider/networks.js'
import { ProviderGate } from '../provider/gate/gate.js'
import { setQuotaTime } from '../provider/methods/setQuotaTime.js'
import type { Provider } from '../provider/provider.js'
import type { NodeData } from './data.js'
import type { NodeHooks } from './hooks.js'

/** What every network of a node is opened with. */
export interface NetworkParts {
  settings: NodeSettings
  hooks: NodeHooks
  provider: Provider
  data: Promise<NodeData>
  /** Told of every event of the chains. */
  chains: ChainWatch
}

/**
 * Opens one of a node's networks behind its gate. The chain's modules are loaded with the first one.
 *
 * @throws OptionError or DataDirectoryError
 */
export async function openNamed({ name, chainId }: NetworkName, parts: NetworkParts): Promise<Network> {
  const { settings, hooks, provider, data } = parts
  const [{ openNetwork }, opened] = await Promise.all([import('../network.js'), data])
  const gate = new ProviderGate(provider, name)
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
    gate,
    methods: [setQuotaTime(provider.clock)],
    warn: (message) => hooks.warn?.(message),
    report: (method, fault) => hooks.fault?.(method, fault),
  })
  gate.attach(network)
  network.events.subscribe((event) => {
    provider.hear(name, event)
    parts.chains.hear(name, event)
    if (event.type === 'head' && network.logging.enabled) hooks.block?.(name, event.block)
  })
  return network
}
