import type { NodeSettings } from '../options.js'
import { AddressInUseError } from '../server/listen.js'
import type { NodeServer } from '../server/server.js'

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
