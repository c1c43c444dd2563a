import { join } from 'node:path'
import type { StoredBlock } from './chain/block/record.js'
import type { ImportProgress } from './chain/import/importFile.js'
import type { Network } from './network/network.js'
import type { NodeUrls } from './node/addresses.js'
import { describeUrls, formatMultiaddresses, formatUrls } from './node/addresses.js'
import { readKeys, setFaults } from './node/configuration.js'
import type { NodeData } from './node/data.js'
import { openData } from './node/data.js'
import type { Ports } from './node/listenOnPorts.js'
import { listenOnPorts } from './node/listenOnPorts.js'
import { NetworkMap } from './node/networkMap.js'
import { loadCertificate, saveCertificate } from './node/tls.js'
import type { NodeSettings } from './options.js'
import type { Mode } from './provider/door/door.js'
import type { JournalEntry } from './provider/journal/entry.js'
import type { ApiKey } from './provider/keys/apiKey.js'
import { setQuotaTime } from './provider/methods/setQuotaTime.js'
import { decideMode } from './provider/mode.js'
import { parseNetworks, standardNetwork } from './provider/networks.js'
import { Provider } from './provider/provider.js'
import { NodeServer } from './server/server.js'
import { version } from './version.js'

/** Told of what happens in a node. */
export interface NodeHooks {
  /** Something that the user should know, in one line. */
  warn?(message: string): void
  /** A network has a new head. */
  block?(network: string, block: StoredBlock): void
  /** Blocks of a file are being imported. */
  importing?(progress: ImportProgress): void
  /** A request has failed. */
  failure?(entry: Omit<JournalEntry, 'id'>): void
  /** What contracts do, for developers to read: console.log, why transactions fail, traces; may have several lines. */
  tell?(network: string, text: string): void
  /** Whether `tell` may be given colours, as ECMA-48 has them. */
  colours?: boolean
  /** A fault of ours. */
  fault?(place: string, fault: unknown): void
}

/** How a node is started. */
export interface StartOptions {
  /** Whether it listens; without, calls in process reach it alone and its URLs mean nothing. */
  listen?: boolean | undefined
}

/** A node that runs. */
export interface RunningNode {
  urls: NodeUrls
  mode: Mode
  provider: Provider
  /** The certificate, for programs that shall trust it; undefined for plain HTTP. */
  certificatePath: string | undefined
  /** The port of JSON-RPC. */
  port: number
  /** Every address of JSON-RPC with its port, as the system names them. */
  addresses: readonly string[]
  /** The network that paths without a name mean. */
  network: Network
  dataDirectory: string
  /** A key that was made up because none was given and other machines reach the node. */
  generatedKey: ApiKey | undefined
  /** The base URLs of the further networks. */
  furtherNetworks: ReadonlyMap<string, NodeUrls>
  /** Puts every open chain back to its genesis; files and pins stay. */
  reset(): Promise<void>
  /** Stops listening, ends every connection and closes the data. */
  stop(): Promise<void>
}

/** The key that is shown where any key opens. */
const exampleKey = 'local'

/** The ports of a node that does not listen. */
const noPorts: Ports = { port: 0, ipfsPort: undefined }

/** Most bytes of one upload to the hosted file network. */
const hostedMaxUpload = 100_000_000

/**
 * Builds a node and starts it.
 *
 * It listens before the chain is there, so that clients may connect while the rest is loaded: their first requests
 * wait.
 *
 * @throws OptionError, NetworkNameError, AddressInUseError or DataDirectoryError for what the user can mend.
 */
export async function startNode(
  settings: NodeSettings,
  hooks: NodeHooks = {},
  { listen = true }: StartOptions = {},
): Promise<RunningNode> {
  const warn = (message: string): void => hooks.warn?.(message)
  const report = (place: string, fault: unknown): void => hooks.fault?.(place, fault)
  const { keys, plans } = readKeys(settings)
  const decision = decideMode({ mode: settings.mode, hosts: settings.host, keys })
  const { mode } = decision
  decision.warnings.forEach(warn)
  const names = [{ name: standardNetwork, chainId: settings.chainId }, ...parseNetworks(settings.network)]
  const provider = new Provider({
    ...settings,
    mode,
    keys: decision.keys,
    plans,
    allowedOrigins: settings.allowOrigin,
    filesWithoutCredentials: settings.noIpfsAuth,
    onFailure: hooks.failure,
  })
  setFaults(provider, settings)
  const networkNames = names.map(({ name }) => name)
  const certificate = await loadCertificate(settings, networkNames)
  const networks: NetworkMap = new NetworkMap(names, async ({ name, chainId }) => {
    const [{ openNetwork }, opened] = await Promise.all([import('./network.js'), data])
    const gate = provider.gateOf(name)
    const chainFiles =
      name === standardNetwork
        ? { genesis: settings.genesis, import: settings.import, progress: hooks.importing }
        : undefined
    const network = await openNetwork({
      name,
      chainId,
      files: chainFiles,
      developer: hooks.tell && {
        tell: (text) => hooks.tell?.(name, text),
        colours: hooks.colours === true,
      },
      settings,
      data: opened,
      gate,
      methods: [setQuotaTime(provider.clock)],
      report,
    })
    gate.attach(network)
    network.events.subscribe((event) => {
      provider.hear(name, event)
      if (event.type === 'head' && network.logging.enabled) hooks.block?.(name, event.block)
    })
    return network
  })
  const server = new NodeServer({
    provider,
    names: {
      all: new Set(networkNames),
      standard: standardNetwork,
      domain: settings.domain?.toLowerCase(),
    },
    dispatcherOf: (name) => networks.dispatcher(name),
    certificate,
    control: async () => {
      const { createControl } = await import('./control/app.js')
      return createControl({ provider, networks: networkNames, version })
    },
    files: {
      execute: async (request) => (await files).execute(request),
      gateway: { handle: async (request) => (await files).gateway.handle(request) },
    },
    health: () => ({ ready: urls !== undefined, mode, networks: networkNames }),
    urls: () => landingUrls,
    allowedHosts: settings.allowHost.map((host) => host.toLowerCase()),
    limits: {
      ...settings,
      maxUpload: settings.maxUpload ?? (mode === 'strict' ? hostedMaxUpload : undefined),
      idleTimeout: settings.wsIdleTimeout,
    },
    report: (fault) => report('server', fault),
  })
  let urls: NodeUrls | undefined
  let multiaddresses: string[] = []
  let landingUrls: Readonly<Record<string, string>> = {}
  const listening = listen ? listenOnPorts(server, settings, warn) : Promise.resolve(noPorts)
  const data: Promise<NodeData> = listening.then(() => openData(settings))
  const files = data.then(async ({ directory }) => {
    const { createFileNetwork } = await import('./ipfs/index.js')
    return createFileNetwork({
      ...settings,
      directory: join(directory, 'files'),
      addresses: () => multiaddresses,
    })
  })
  const close = async (): Promise<void> => {
    await server.close()
    await networks.close()
    await files.then((opened) => opened.close()).catch(() => undefined)
    await data.then((opened) => opened.close()).catch(() => undefined)
  }
  try {
    const ports = await listening
    const [{ directory: dataDirectory }, network] = await Promise.all([
      data,
      networks.get(standardNetwork),
      files,
    ])
    const key = decision.keys[0]?.key ?? exampleKey
    const facts = { ...ports, hosts: settings.host, key, tls: certificate !== undefined }
    urls = formatUrls(facts)
    multiaddresses = formatMultiaddresses(facts)
    landingUrls = describeUrls(formatUrls({ ...facts, key: mode === 'open' ? key : '<API_KEY>' }))
    return {
      urls,
      mode,
      provider,
      certificatePath: certificate && (await saveCertificate(dataDirectory, certificate)),
      port: ports.port,
      addresses: server.addresses,
      network,
      dataDirectory,
      generatedKey: decision.generatedKey,
      furtherNetworks: new Map(names.slice(1).map(({ name }) => [name, formatUrls(facts, name)])),
      reset: async () => {
        await Promise.all(networks.opened().map((opened) => opened.reset()))
      },
      stop: close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
