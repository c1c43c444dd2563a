import type { Hono } from 'hono'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { FilePolicy } from '../provider/policy/filePolicy.js'
import type { Provider } from '../provider/provider.js'
import type { Dispatcher } from '../rpc/dispatcher.js'
import { refuseControl } from './access.js'
import { DirectFront } from './direct/connection.js'
import type { RequestHead } from './direct/requestHead.js'
import {
  type FileEndpoint,
  answerFileRequest,
  answerGatewayRequest,
  isFilePath,
  isForGateway,
} from './fileApi.js'
import { IpcServer } from './ipc.js'
import {
  type Certificate,
  type Server,
  createServer,
  formatAddress,
  keepAliveSeconds,
  listenOnAll,
} from './listen.js'
import { sendText } from './reply.js'
import { type NetworkNames, RouteCache, type RpcRoute, parseRpcRoute } from './route.js'
import { type BodyLimits, NodeExchange, answerRpc } from './jsonRpc.js'
import { Upgrades, offersHttp2, putBackWithoutOffer } from './upgrade.js'

/** Everything that the server joins. */
export interface ServerSetup {
  provider: Provider
  names: NetworkNames
  /** A network that is not open yet answers when it is. */
  dispatcherOf: (network: string) => Dispatcher | Promise<Dispatcher>
  files: FileEndpoint
  /** For HTTPS and WSS; plain HTTP without. */
  certificate?: Certificate | undefined
  /** The routes of the controls besides JSON-RPC and health. */
  control?: (() => Promise<Hono>) | undefined
  /** What health answers with. */
  health: () => Readonly<Record<string, unknown>>
  /** Host names under which the controls answer, besides loopback. */
  allowedHosts: readonly string[]
  limits: BodyLimits & { maxMessage: number; maxUpload: number | undefined; idleTimeout: number | undefined }
  /** Told of faults of ours. */
  report: (fault: unknown) => void
}

/** The HTTP and WebSocket server of a node. It knows paths and transports, and no method. */
export class NodeServer {
  readonly #setup: ServerSetup
  readonly #upgrades: Upgrades
  readonly #filePolicy: FilePolicy
  #app: Promise<RequestListener> | undefined
  readonly #servers: Server[] = []
  readonly #fronts: DirectFront[] = []
  /** Under TLS: a server of HTTPS does not know a connection before its handshake is done. */
  readonly #secured = new Set<Socket>()
  readonly #routes: RouteCache
  #addresses: string[] = []
  #ipc: IpcServer | undefined

  constructor(setup: ServerSetup) {
    this.#setup = setup
    this.#routes = new RouteCache(setup.names)
    this.#filePolicy = new FilePolicy(setup.provider)
    this.#upgrades = new Upgrades({
      ...setup,
      ...setup.limits,
      admitControl: (request) => refuseControl(setup.provider.admission, setup.allowedHosts, request),
    })
  }

  /**
   * Listens for everything: JSON-RPC, WebSocket, the file network, the controls.
   *
   * @returns the port
   * @throws AddressInUseError
   */
  async listen(address: { hosts: readonly string[]; port: number }): Promise<number> {
    const listener: RequestListener = (request, response) => this.#answer(request, response)
    const { servers, port } = await this.#listen(address, listener, { upgrades: true })
    this.#addresses = servers.map((server) => formatAddress((server.address() as AddressInfo).address, port))
    return port
  }

  /**
   * Listens for the file network alone.
   *
   * @returns the port
   * @throws AddressInUseError
   */
  async listenForFiles(address: { hosts: readonly string[]; port: number }): Promise<number> {
    const listener: RequestListener = (request, response) => this.#answerFiles(request, response)
    return (await this.#listen(address, listener, { upgrades: false })).port
  }

  /**
   * Listens for JSON-RPC on a socket in the file system.
   *
   * @throws IpcPathError
   */
  async listenForIpc(path: string): Promise<void> {
    const { names, dispatcherOf, limits, report } = this.#setup
    const { maxMessage } = limits
    this.#ipc = await IpcServer.listen({ path, network: names.standard, dispatcherOf, maxMessage, report })
  }

  /** Where JSON-RPC is listened for, as `127.0.0.1:8545`. */
  get addresses(): string[] {
    return this.#addresses
  }

  /** Stops listening and ends every connection, at the latest after `graceMilliseconds`. */
  async close(graceMilliseconds = 1000): Promise<void> {
    this.#upgrades.closeAll()
    const closed = this.#servers.map((server) => new Promise((resolve) => server.close(resolve)))
    const closeIdle = (): void => {
      for (const server of [...this.#servers, ...this.#fronts]) server.closeIdleConnections()
    }
    closeIdle()
    // What is answered from now on leaves a connection behind that its client keeps.
    const watch = setInterval(closeIdle, 20)
    const timer = setTimeout(() => {
      for (const server of [...this.#servers, ...this.#fronts]) server.closeAllConnections()
      this.#upgrades.destroyAll()
      for (const socket of this.#secured) socket.destroy()
    }, graceMilliseconds)
    await Promise.all([...closed, this.#ipc?.close()])
    clearInterval(watch)
    clearTimeout(timer)
  }

  async #listen(
    address: { hosts: readonly string[]; port: number },
    listener: RequestListener,
    { upgrades }: { upgrades: boolean },
  ): Promise<{ servers: Server[]; port: number }> {
    const listening = await listenOnAll(() => {
      const server = createServer(listener, this.#setup.certificate)
      if (this.#setup.certificate !== undefined) this.#watchSecured(server)
      if (upgrades) {
        const front = this.#setup.certificate === undefined ? this.#createFront(server) : undefined
        if (front !== undefined) this.#fronts.push(front)
        server.on('upgrade', (request, socket, head) => {
          if (offersHttp2(request)) {
            putBackWithoutOffer(request, socket, head)
            if (front === undefined) server.emit('secureConnection', socket)
            else front.handOver(socket as Socket)
            return
          }
          this.#upgrades.accept(request, socket, head).catch((error: unknown) => {
            this.#setup.report(error)
            socket.destroy()
          })
        })
      }
      return server
    }, address)
    this.#servers.push(...listening.servers)
    return listening
  }

  #watchSecured(server: Server): void {
    server.on('connection', (socket: Socket) => {
      this.#secured.add(socket)
      socket.once('close', () => this.#secured.delete(socket))
    })
  }

  #createFront(server: Server): DirectFront {
    return new DirectFront(server, {
      routeOf: (head) => this.#routeOfPlain(head),
      answer: (exchange, route) => answerRpc(this.#setup, exchange, route),
      keepAliveSeconds,
    })
  }

  /** Requests of JSON-RPC but for those of the controls, which go by where a connection comes from. */
  #routeOfPlain({ target, headers: { host } }: RequestHead): RpcRoute | undefined {
    if (isForGateway(target, host)) return undefined
    const route = parseRpcRoute(this.#setup.names, target, host)
    return route?.form === 'control' ? undefined : route
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const setup = this.#setup
    const target = request.url ?? '/'
    if (isForGateway(target, request.headers.host)) {
      this.#answerFiles(request, response)
      return
    }
    const route = this.#routes.find(target, request.headers.host)
    if (route !== undefined && !(route.form === 'root' && isForBrowser(request))) {
      const refusal =
        route.form === 'control'
          ? refuseControl(setup.provider.admission, setup.allowedHosts, request)
          : undefined
      if (refusal === undefined) answerRpc(setup, new NodeExchange(request, response), route)
      else sendText(response, refusal)
    } else if (isFilePath(target)) this.#answerFiles(request, response)
    else if (target.startsWith('/_standin')) this.#answerControl(request, response)
    else if (route !== undefined) this.#answerControl(request, response)
    else this.#answerByApp(request, response)
  }

  /** The controls, and the page over them. */
  #answerControl(request: IncomingMessage, response: ServerResponse): void {
    const refusal = refuseControl(this.#setup.provider.admission, this.#setup.allowedHosts, request)
    if (refusal === undefined) this.#answerByApp(request, response)
    else sendText(response, refusal)
  }

  /** The framework is loaded with the first request that needs it. */
  #answerByApp(request: IncomingMessage, response: ServerResponse): void {
    this.#app ??= import('./app.js').then(({ createAppListener }) => createAppListener(this.#setup))
    this.#app.then(
      (listener) => listener(request, response),
      (error: unknown) => {
        this.#setup.report(error)
        response.destroy()
      },
    )
  }

  #answerFiles(request: IncomingMessage, response: ServerResponse): void {
    const setup = { ...this.#setup, policy: this.#filePolicy, maxUpload: this.#setup.limits.maxUpload }
    const isGateway = isForGateway(request.url ?? '/', request.headers.host)
    const answered = isGateway
      ? answerGatewayRequest(setup, request, response)
      : answerFileRequest(setup, request, response)
    answered.catch(this.#setup.report)
  }
}

function isForBrowser(request: IncomingMessage): boolean {
  return request.method === 'GET' && (request.headers.accept ?? '').includes('text/html')
}
