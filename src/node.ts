import { join } from 'node:path'
import { ChainWatch } from './control/chainWatch.js'
import { nextTurn } from './encoding/timeSlice.js'
import type { FileNetwork } from './ipfs/index.js'
import type { Network } from './network/network.js'
import { type NodeUrls, formatMultiaddresses, formatUrls } from './node/addresses.js'
import {
  type CurrentCassette,
  createCassetteControl,
  interceptFiles,
  openNodeCassette,
} from './node/cassette.js'
import { createProvider } from './node/createProvider.js'
import { type NodeData, inOrder, openData } from './node/data.js'
import { NetworkMap, type NodeHooks, openNodeNetwork } from './node/networks.js'
import { findStartingData } from './node/startingData.js'
import { loadCertificate, saveCertificate } from './node/tls.js'
import type { NodeSettings } from './options.js'
import type { Mode } from './provider/admission/admission.js'
import type { ApiKey } from './provider/keys/apiKey.js'
import { parseNetworks, standardNetwork } from './provider/networks.js'
import type { Provider } from './provider/provider.js'
import { AddressInUseError, type Certificate } from './server/listen.js'
import { NodeServer, type ServerSetup } from './server/server.js'
import { version } from './version.js'

export type { NodeHooks }

/** Options for starting a node. */
export interface StartOptions {
  /** Whether it listens. If not, only in-process calls reach it and its URLs are meaningless. */
  listen?: boolean | undefined
}

/** A running node. */
export interface RunningNode {
  urls: NodeUrls
  mode: Mode
  provider: Provider
  /** Path of the certificate, for programs that must trust it; undefined for plain HTTP. */
  certificatePath: string | undefined
  /** Port of JSON-RPC. */
  port: number
  /** Every JSON-RPC address with its port, as the system reports them. */
  addresses: readonly string[]
  /** The network of paths without a network name. */
  network: Network
  dataDirectory: string
  /** Key generated because none was given and other machines can reach the node. */
  generatedKey: ApiKey | undefined
  /** Base URLs of the further networks. */
  furtherNetworks: ReadonlyMap<string, NodeUrls>
  /** Resets every open chain to its genesis; files and pins stay. */
  reset(): Promise<void>
  /** Stops listening, ends every connection and closes the data. */
  stop(): Promise<void>
}

/** Key to show where any key is accepted. */
const exampleKey = 'local'

/** Ports of a node that does not listen. */
const noPorts: Ports = { port: 0, ipfsPort: undefined }

/**
 * Builds and starts a node.
 *
 * It listens before the chain is open, so that clients can connect while the rest loads; their first requests wait.
 *
 * @throws OptionError, NetworkNameError, AddressInUseError, ArchiveError or DataDirectoryError for what the user can
 * fix
 */
export async function startNode(
  given: NodeSettings,
  hooks: NodeHooks = {},
  { listen = true }: StartOptions = {},
): Promise<RunningNode> {
  const start = await findStartingData(given)
  const settings = { ...given, keys: given.keys ?? start?.keys }
  const { provider, decision } = await createProvider(settings, hooks)
  const { mode } = decision
  const names = [{ name: standardNetwork, chainId: settings.chainId }, ...parseNetworks(settings.network)]
  const networkNames = names.map(({ name }) => name)
  const certificate = await loadCertificate(settings, networkNames)
  const chains = new ChainWatch()
  const cassette = await openNodeCassette(settings)
  const networks = new NetworkMap(names, (name) =>
    openNodeNetwork(name, { settings, hooks, provider, data, chains, cassette }),
  )
  let urls: NodeUrls | undefined
  let shownUrls: NodeUrls | undefined
  let multiaddresses: string[] = []
  const server = createServer({
    settings,
    // The caller of a failed start gets the failure. Requests that waited, or that try to open the chain again, fail too.
    report: (fault) =>
      void started.then(
        () => hooks.fault?.('server', fault),
        () => undefined,
      ),
    provider,
    networks,
    certificate,
    files: () => files,
    health: () => ({ ready: urls !== undefined, mode, networks: networkNames }),
    shownUrls: () => shownUrls,
    chains,
    cassette,
  })
  const listening = listen
    ? listenOnPorts(server, settings, (message) => hooks.warn?.(message))
    : Promise.resolve(noPorts)
  const data: Promise<NodeData> = listening.then(() => openData(settings, start))
  const standard = data.then(() => networks.get(standardNetwork))
  const files = Promise.all([data, standard]).then(async ([{ directory }]) => {
    // Answer chain requests before loading the file network.
    await nextTurn()
    const { createFileNetwork } = await import('./ipfs/index.js')
    return createFileNetwork({
      ...settings,
      directory: join(directory, 'files'),
      addresses: () => multiaddresses,
    })
  })
  const started = Promise.all([data, standard, files])
  // Later awaiters get the failure; without a handler now it would count as unhandled.
  for (const part of [files, started]) part.catch(() => undefined)
  const closeIfOpen = (part: Promise<{ close(): Promise<void> }>): Promise<void> =>
    part.then(
      (opened) => opened.close(),
      () => undefined,
    )
  let closing: Promise<void> | undefined
  // Only once: by a second call its file descriptors may belong to another node's files.
  const close = (): Promise<void> =>
    (closing ??= inOrder([
      // First, so that waiting callers are answered while the server still waits for answers.
      async () => networks.beginStop(),
      () => server.close(),
      async () => void (await cassette.stop()),
      () => networks.close(),
      () => closeIfOpen(files),
      () => closeIfOpen(data),
    ]))
  try {
    const ports = await listening
    const [{ directory: dataDirectory }, network] = await started
    const key = decision.keys[0]?.key ?? exampleKey
    const facts = { ...ports, hosts: settings.host, key, tls: certificate !== undefined }
    urls = formatUrls(facts)
    multiaddresses = formatMultiaddresses(facts)
    shownUrls = formatUrls({ ...facts, key: mode === 'open' ? key : '<API_KEY>' })
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
    await close().catch(() => undefined)
    throw error
  }
}

/** Upload limit of the hosted file network in bytes. */
const HOSTED_MAX_UPLOAD = 100_000_000

/** Parts that make up a node's server. */
export interface ServerParts extends Pick<ServerSetup, 'health'> {
  /** URLs to show on the page, with a key only where any key is accepted. */
  shownUrls: () => NodeUrls | undefined
  chains: ChainWatch
  cassette: CurrentCassette
  settings: NodeSettings
  report: (fault: unknown) => void
  provider: Provider
  networks: NetworkMap
  certificate: Certificate | undefined
  /** The file network once it is open. */
  files: () => Promise<FileNetwork>
}

/** Connects a node's parts to its server. It may listen before they are open: requests wait for the parts they need. */
function createServer(parts: ServerParts): NodeServer {
  const { settings, report, provider, networks, certificate, files, health, shownUrls, chains } = parts
  const names = networks.names.map(({ name }) => name)
  return new NodeServer({
    provider,
    names: { all: new Set(names), standard: standardNetwork, domain: settings.domain?.toLowerCase() },
    pipelineOf: networks.pipeline,
    certificate,
    control: async () => {
      await nextTurn()
      const { createControl } = await import('./control/app.js')
      await nextTurn()
      return createControl({
        provider,
        networks: names,
        version,
        chains,
        artifacts: settings.artifacts,
        cassette: createCassetteControl(parts.cassette, settings),
        garbage: async () => (await files()).garbage(),
        describeNode: () => ({
          urls: shownUrls(),
          networks: networks.describe(),
          artifacts: settings.artifacts !== undefined,
          journalSize: settings.journalSize,
        }),
      })
    },
    files: interceptFiles(parts.cassette, {
      execute: async (request) => (await files()).execute(request),
      gateway: {
        handle: async (request) => (await files()).gateway.handle(request),
        route: async (request) => (await files()).gateway.route(request),
      },
    }),
    health,
    allowedHosts: settings.allowHost.map((host) => host.toLowerCase()),
    limits: {
      ...settings,
      maxUpload: settings.maxUpload ?? (provider.mode === 'strict' ? HOSTED_MAX_UPLOAD : undefined),
      idleTimeout: settings.wsIdleTimeout,
    },
    report,
  })
}

/** Kubo's default port. */
const DEFAULT_FILE_PORT = 5001

/** Ports the node got. */
export interface Ports {
  port: number
  /** Undefined if the file network answers on the main port only. */
  ipfsPort: number | undefined
}

/**
 * Listens on the node's two ports, and on the requested IPC socket.
 *
 * The file network's default port may be taken, by Kubo for example. Unless it was requested, that is only a warning,
 * because the main port serves the file network too.
 *
 * @throws AddressInUseError or IpcPathError
 */
async function listenOnPorts(
  server: NodeServer,
  settings: Pick<NodeSettings, 'host' | 'port' | 'ipfsPort' | 'ipc'>,
  warn: (message: string) => void,
): Promise<Ports> {
  const { host: hosts, port: wanted, ipfsPort: wantedIpfsPort } = settings
  if (settings.ipc !== undefined) await server.listenForIpc(settings.ipc)
  const port = await server.listen({ hosts, port: wanted })
  try {
    const ipfsPort = await server.listenForFiles({ hosts, port: wantedIpfsPort ?? DEFAULT_FILE_PORT })
    return { port, ipfsPort }
  } catch (error) {
    if (!(error instanceof AddressInUseError) || wantedIpfsPort !== undefined) throw error
    warn(`${error.message}: the file network is served on port ${port} only`)
    return { port, ipfsPort: undefined }
  }
}
