import type { ChainWatch } from '../control/chainWatch.js'
import type { FileNetwork } from '../ipfs/index.js'
import type { NodeSettings } from '../options.js'
import { standardNetwork } from '../provider/networks.js'
import type { Provider } from '../provider/provider.js'
import { AddressInUseError, type Certificate } from '../server/listen.js'
import { NodeServer, type ServerSetup } from '../server/server.js'
import { version } from '../version.js'
import type { NodeUrls } from './addresses.js'
import { type CurrentCassette, createCassetteControl, filesBehind } from './cassette.js'
import type { NetworkMap, NodeHooks } from './networks.js'

/** Most bytes of one upload to the hosted file network. */
const hostedMaxUpload = 100_000_000

/** What a node's server is joined from. */
export interface ServerParts extends Pick<ServerSetup, 'health'> {
  /** URLs as the page shows them, with a key only where any key opens. */
  shownUrls: () => NodeUrls | undefined
  chains: ChainWatch
  cassette: CurrentCassette
  settings: NodeSettings
  hooks: NodeHooks
  provider: Provider
  networks: NetworkMap
  certificate: Certificate | undefined
  /** The file network when it is open. */
  files: () => Promise<FileNetwork>
}

/** Joins a node's parts behind its server. It may listen before they are open: requests wait for what they need. */
export function createServer(parts: ServerParts): NodeServer {
  const { settings, hooks, provider, networks, certificate, files, health, shownUrls, chains } = parts
  const names = networks.names.map(({ name }) => name)
  return new NodeServer({
    provider,
    names: { all: new Set(names), standard: standardNetwork, domain: settings.domain?.toLowerCase() },
    pipelineOf: (name) => networks.pipeline(name),
    certificate,
    control: async () => {
      const { createControl } = await import('../control/app.js')
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
    files: filesBehind(parts.cassette, {
      execute: async (request) => (await files()).execute(request),
      gateway: { handle: async (request) => (await files()).gateway.handle(request) },
    }),
    health,
    allowedHosts: settings.allowHost.map((host) => host.toLowerCase()),
    limits: {
      ...settings,
      maxUpload: settings.maxUpload ?? (provider.mode === 'strict' ? hostedMaxUpload : undefined),
      idleTimeout: settings.wsIdleTimeout,
    },
    report: (fault) => hooks.fault?.('server', fault),
  })
}

/** Where Kubo listens unless told otherwise. */
const usualFilePort = 5001

/** The ports that a node got. */
export interface Ports {
  port: number
  /** Undefined if the file network answers on the main port only. */
  ipfsPort: number | undefined
}

/**
 * Listens on the node's two ports, and on the socket that was asked for.
 *
 * The file network's usual port may be somebody else's, a Kubo's for example: unless it was asked for that is a
 * warning, because the main port answers for the file network too.
 *
 * @throws AddressInUseError or IpcPathError
 */
export async function listenOnPorts(
  server: NodeServer,
  settings: Pick<NodeSettings, 'host' | 'port' | 'ipfsPort' | 'ipc'>,
  warn: (message: string) => void,
): Promise<Ports> {
  const { host: hosts, port: wanted, ipfsPort: wantedForFiles } = settings
  if (settings.ipc !== undefined) await server.listenForIpc(settings.ipc)
  const port = await server.listen({ hosts, port: wanted })
  try {
    const ipfsPort = await server.listenForFiles({ hosts, port: wantedForFiles ?? usualFilePort })
    return { port, ipfsPort }
  } catch (error) {
    if (!(error instanceof AddressInUseError) || wantedForFiles !== undefined) throw error
    warn(`${error.message}: the file network answers on port ${port} only`)
    return { port, ipfsPort: undefined }
  }
}
