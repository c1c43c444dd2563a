import { STATUS_CODES } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Caller } from '../provider/caller.js'
import type { Admission } from '../provider/door/admission.js'
import type { Refusal } from '../provider/door/refusal.js'
import { refuse } from '../provider/door/refusal.js'
import type { Provider } from '../provider/provider.js'
import type { Dispatcher } from '../rpc/dispatcher.js'
import type { NetworkNames, RpcRoute } from './route.js'
import { parseRpcRoute } from './route.js'
import type { ConnectionOptions } from './webSocketConnection.js'
import { WebSocketConnection } from './webSocketConnection.js'
import { openWebSockets, type WebSockets } from './webSockets.js'

/** What WebSocket upgrades are answered with. */
export interface UpgradeSetup {
  provider: Provider
  names: NetworkNames
  dispatcherOf: (network: string) => Dispatcher | Promise<Dispatcher>
  /** Longest message in bytes; a longer one closes the connection with 1009. */
  maxMessage: number
  /** Seconds after which a silent connection is closed; undefined never. */
  idleTimeout: number | undefined
  /** Whether the controls' own path may be used under this Host and from this page. */
  admitControl: (request: IncomingMessage) => Refusal | undefined
  report: (fault: unknown) => void
}

const notFound = refuse(404, 'not found\n')

/** Takes WebSocket upgrades from the HTTP server itself, so that a refused one has a status and a body. */
export class Upgrades {
  readonly #setup: UpgradeSetup
  #webSockets: Promise<WebSockets> | undefined
  readonly #connections = new Set<WebSocketConnection>()
  /** Of all upgrades, whatever becomes of them, until they are closed: the HTTP server does not know them any more. */
  readonly #sockets = new Set<Duplex>()

  constructor(setup: UpgradeSetup) {
    this.#setup = setup
  }

  /** Handles the `upgrade` event of an HTTP server. */
  async accept(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    const { provider, names } = this.#setup
    const route = parseRpcRoute(names, request.url ?? '/', request.headers.host)
    if (route === undefined || (route.form === 'v3' && provider.mode !== 'open')) {
      refuseUpgrade(socket, notFound)
      return
    }
    const admission = await this.#admit(request, route)
    if (admission.refusal !== undefined) {
      refuseUpgrade(socket, admission.refusal)
      return
    }
    const { caller } = admission
    const fate = await provider.meetUpgrade(caller)
    if (fate === 'close') {
      socket.destroy()
      return
    }
    if (fate !== undefined) {
      provider.note(caller, 'upgrade', { status: fate.status })
      refuseUpgrade(socket, fate)
      return
    }
    this.#webSockets ??= openWebSockets(this.#setup.maxMessage)
    const webSockets = await this.#webSockets
    const dispatcher = await this.#setup.dispatcherOf(route.network)
    webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      this.#open(new WebSocketConnection(webSocket, socket, this.#optionsFor(caller)), dispatcher, caller)
    })
  }

  async #admit(request: IncomingMessage, route: RpcRoute): Promise<Admission<Caller>> {
    const control = route.form === 'control'
    const refusal = control ? this.#setup.admitControl(request) : undefined
    if (refusal !== undefined) return { refusal }
    const { network, key, trailing } = route
    const { headers } = request
    return this.#setup.provider.door.admitRpc({
      transport: 'upgrade',
      network,
      key,
      trailing,
      control,
      headers,
    })
  }

  #optionsFor({ key }: Caller): ConnectionOptions {
    const { provider, idleTimeout, report, maxMessage } = this.#setup
    return {
      idleTimeout,
      report,
      maxMessage: provider.limitOf(key, 'maxMessage') ?? maxMessage,
      maxBatch: provider.limitOf(key, 'maxBatch'),
    }
  }

  #open(connection: WebSocketConnection, dispatcher: Dispatcher, caller: Caller): void {
    const { connections } = this.#setup.provider
    caller.subscriptions = new Map()
    caller.connection = connection
    this.#setup.provider.note(caller, 'upgrade', { status: 101 })
    this.#connections.add(connection)
    connections.add(caller)
    connection.run(dispatcher, caller, () => {
      this.#connections.delete(connection)
      connections.remove(caller)
    })
  }

  /** Ends every connection: the other side is told that the node goes away. */
  closeAll(): void {
    for (const connection of this.#connections) connection.goAway()
  }

  /** Ends what is still there without a word, such as an upgrade that is not answered yet. */
  destroyAll(): void {
    for (const socket of this.#sockets) socket.destroy()
  }
}

/** Answers an upgrade as any other request and ends the connection, whatever the client still sends. */
function refuseUpgrade(socket: Duplex, refusal: Refusal): void {
  const headers = {
    ...refusal.headers,
    'content-length': Buffer.byteLength(refusal.body),
    connection: 'close',
    date: new Date().toUTCString(),
  }
  const head = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? ''}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${refusal.body}`, () => socket.destroy())
}
