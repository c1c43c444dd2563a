import { STATUS_CODES } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import type { Caller } from '../provider/caller.js'
import type { Door } from '../provider/door/door.js'
import type { Refusal } from '../provider/door/refusal.js'
import { refuse } from '../provider/door/refusal.js'
import type { Dispatcher } from '../rpc/dispatcher.js'
import type { NetworkNames } from './route.js'
import { parseRpcRoute } from './route.js'
import { WebSocketConnection } from './webSocketConnection.js'

/** What WebSocket upgrades are answered with. */
export interface UpgradeSetup {
  door: Door
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
  readonly #webSockets: WebSocketServer
  readonly #connections = new Set<WebSocketConnection>()

  constructor(setup: UpgradeSetup) {
    this.#setup = setup
    this.#webSockets = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: setup.maxMessage,
    })
  }

  /** Handles the `upgrade` event of an HTTP server. */
  async accept(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy())
    const { door, names } = this.#setup
    const route = parseRpcRoute(names, request.url ?? '/', request.headers.host)
    if (route === undefined || (route.form === 'v3' && door.settings.mode !== 'open')) {
      refuseUpgrade(socket, notFound)
      return
    }
    const control = route.form === 'control'
    const refused = control ? this.#setup.admitControl(request) : undefined
    const admission =
      refused === undefined
        ? await door.admitRpc({ ...route, control, headers: request.headers })
        : { refusal: refused }
    if (admission.refusal !== undefined) {
      refuseUpgrade(socket, admission.refusal)
      return
    }
    const dispatcher = await this.#setup.dispatcherOf(route.network)
    this.#webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      this.#open(new WebSocketConnection(webSocket, this.#setup), dispatcher, admission.caller)
    })
  }

  #open(connection: WebSocketConnection, dispatcher: Dispatcher, caller: Caller): void {
    this.#connections.add(connection)
    connection.run(dispatcher, caller, () => this.#connections.delete(connection))
  }

  /** Ends every connection: the other side is told that the node goes away. */
  closeAll(): void {
    for (const connection of this.#connections) connection.goAway()
  }
}

/** Answers an upgrade as any other request and ends the connection. */
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
  socket.end(`${head.join('\r\n')}\r\n\r\n${refusal.body}`)
}
