import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type Awaitable, TimeSlice } from '../encoding/timeSlice.js'
import { type Refusal, refuse } from '../provider/admission/refusal.js'
import type { Caller } from '../provider/admission/admission.js'
import type { Provider, TransportLimits } from '../provider/provider.js'
import type { RpcPipeline } from '../rpc/pipeline.js'
import { reasonOf } from './reply.js'
import { type NetworkNames, parseRpcRoute } from './request.js'
import { WebSocketConnection, type WebSockets, openWebSockets } from './webSocketConnection.js'

/** Dependencies of WebSocket upgrades. */
export interface UpgradeSetup {
  provider: Provider
  names: NetworkNames
  pipelineOf: (network: string) => Awaitable<RpcPipeline>
  /** Maximum message length in bytes; a longer one closes the connection with 1009. */
  maxMessage: number
  /** Seconds of silence before a connection is closed; never if undefined. */
  idleTimeout: number | undefined
  /** Returns a refusal if the client may not use the controls' own path; see controlAccess.ts. */
  refuseControl: (request: IncomingMessage) => Refusal | undefined
  report: (fault: unknown) => void
}

/** An admitted upgrade. */
interface AdmittedUpgrade {
  socket: Duplex
  head: Buffer
  network: string
  /** Whether the path lacks `v3`. */
  isPlainPath: boolean
  caller: Caller
  limits: TransportLimits
}

const notFound = refuse(404, 'not found\n')
const otherPath = refuse(404, 'WebSocket connections are made to /ws/v3/KEY, not to /v3/KEY\n')

/** Handles WebSocket upgrades on the HTTP server's sockets, so that a refusal has a status and a body. */
export class Upgrades {
  readonly #setup: UpgradeSetup
  #webSockets: Promise<WebSockets> | undefined
  readonly #connections = new Set<WebSocketConnection>()
  /** Sockets of all upgrades until closed, as the HTTP server no longer tracks them. */
  readonly #sockets = new Set<Duplex>()

  constructor(setup: UpgradeSetup) {
    this.#setup = setup
  }

  /** Handles an `upgrade` event of an HTTP server. */
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

  /** Closes every connection with "going away". */
  closeAll(): void {
    for (const connection of this.#connections) connection.goAway()
  }

  /** Destroys the remaining sockets, including those of unanswered upgrades. */
  destroyAll(): void {
    for (const socket of this.#sockets) socket.destroy()
  }
}

/** Answers an upgrade with an ordinary HTTP response and closes the connection, whatever the client still sends. */
function refuseUpgrade(socket: Duplex, refusal: Refusal): void {
  const headers = {
    ...refusal.headers,
    'content-length': Buffer.byteLength(refusal.body),
    connection: 'close',
    date: new Date().toUTCString(),
  }
  const head = [
    `HTTP/1.1 ${refusal.status} ${reasonOf(refusal.status)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${refusal.body}`, () => socket.destroy())
}

const fieldsOfOffer = ['connection', 'upgrade', 'http2-settings']

/**
 * Whether an upgrade request only offers HTTP/2, as Java's client does with each request. A server that stays with
 * HTTP/1.1 ignores the offer (RFC 9110, section 7.8).
 */
export function offersHttp2({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'h2c'
}

/**
 * Puts such a request back into its socket without the offer, to be parsed again.
 *
 * @param rest - bytes received after its head
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
