import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { TimeSlice } from '../encoding/timeSlice.js'
import { type Refusal, refuse } from '../provider/admission/refusal.js'
import type { Caller } from '../provider/admission/admission.js'
import type { Provider, TransportLimits } from '../provider/provider.js'
import type { RpcPipeline } from '../rpc/pipeline.js'
import { type NetworkNames, parseRpcRoute } from './request.js'
import { takeLongFramesInPieces } from './longFrames.js'
import { WebSocketConnection, type WebSockets, openWebSockets } from './webSocketConnection.js'

/** What WebSocket upgrades are answered with. */
export interface UpgradeSetup {
  provider: Provider
  names: NetworkNames
  pipelineOf: (network: string) => RpcPipeline | Promise<RpcPipeline>
  /** Longest message in bytes; a longer one closes the connection with 1009. */
  maxMessage: number
  /** Seconds after which a silent connection is closed; undefined never. */
  idleTimeout: number | undefined
  /** Refuses the controls' own path to this machine's strangers; see access.ts. */
  refuseControl: (request: IncomingMessage) => Refusal | undefined
  report: (fault: unknown) => void
}

/** An upgrade that was let in. */
interface AdmittedUpgrade {
  socket: Duplex
  head: Buffer
  network: string
  /** Whether the path is one without `v3`. */
  isPlainPath: boolean
  caller: Caller
  limits: TransportLimits
}

const notFound = refuse(404, 'not found\n')
const otherPath = refuse(404, 'WebSocket connections are made to /ws/v3/KEY, not to /v3/KEY\n')

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
    const pause = new TimeSlice().pause()
    if (pause !== undefined) await pause
    const { provider, names } = this.#setup
    const route = parseRpcRoute(names, request.url ?? '/', request.headers.host)
    if (route === undefined || (route.form === 'v3' && provider.mode !== 'open')) {
      refuseUpgrade(socket, route === undefined ? notFound : otherPath)
      return
    }
    const { network, key, trailing, form } = route
    const control = form === 'control'
    const refusal = control ? this.#setup.refuseControl(request) : undefined
    if (refusal !== undefined) {
      refuseUpgrade(socket, refusal)
      return
    }
    const { headers } = request
    const admission = await provider.admitUpgrade({
      transport: 'upgrade',
      network,
      key,
      trailing,
      control,
      headers,
    })
    if (admission.refusal === 'close') socket.destroy()
    else if (admission.refusal !== undefined) refuseUpgrade(socket, admission.refusal)
    else await this.#upgrade(request, { socket, head, network, isPlainPath: form === 'root', ...admission })
  }

  async #upgrade(
    request: IncomingMessage,
    { socket, head, network, isPlainPath, caller, limits }: AdmittedUpgrade,
  ): Promise<void> {
    const { idleTimeout, report, maxMessage, pipelineOf } = this.#setup
    this.#webSockets ??= openWebSockets(maxMessage)
    const webSockets = await this.#webSockets
    const pipeline = await pipelineOf(network)
    const options = {
      idleTimeout,
      report,
      maxMessage: limits.maxMessage ?? maxMessage,
      maxBatch: limits.maxBatch,
      isPlainPath,
    }
    webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      takeLongFramesInPieces(webSocket)
      this.#open(new WebSocketConnection(webSocket, socket, options), pipeline, caller)
    })
  }

  #open(connection: WebSocketConnection, pipeline: RpcPipeline, caller: Caller): void {
    const { connections } = this.#setup.provider
    caller.subscriptions = new Map()
    caller.connection = connection
    this.#setup.provider.record(caller, 'upgrade', { status: 101 })
    this.#connections.add(connection)
    connections.add(caller)
    connection.run(pipeline, caller, () => {
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

const fieldsOfOffer = ['connection', 'upgrade', 'http2-settings']

/**
 * Whether a request that node:http takes for an upgrade only offers to go on with HTTP/2, as Java's client does with each
 * request. A server that stays with HTTP/1.1 leaves that aside (RFC 9110, section 7.8).
 */
export function offersHttp2({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'h2c'
}

/**
 * Puts such a request back into its socket without the offer, so that it can be read again.
 *
 * @param rest what came behind its head
 */
export function putBackWithoutOffer(request: IncomingMessage, socket: Duplex, rest: Buffer): void {
  const { method = '', url = '', httpVersion, rawHeaders } = request
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const [name = '', value = ''] = rawHeaders.slice(i, i + 2)
    if (!fieldsOfOffer.includes(name.toLowerCase())) lines.push(`${name}: ${value}`)
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), rest]))
}
