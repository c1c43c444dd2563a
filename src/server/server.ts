import type { Hono } from 'hono'
import type { RequestListener } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { FilePolicy } from '../provider/policy/filePolicy.js'
import type { Provider } from '../provider/provider.js'
import type { RpcPipeline } from '../rpc/pipeline.js'
import type { AppEnv, AppSetup } from './app.js'
import { isLocalAddress, refuseControl } from './controlAccess.js'
import { DirectFront } from './direct.js'
import { type FileEndpoint } from './fileApi.js'
import {
  type NetworkNames,
  type RequestHead,
  type RpcRoute,
  isGatewayHost,
  parseRpcRoute,
} from './request.js'
import { IpcServer } from './ipc.js'
import { type BodyLimits, answerRpc } from './jsonRpc.js'
import {
  type Certificate,
  type Server,
  createServer,
  formatAddress,
  keepAliveSeconds,
  listenOnAll,
} from './listen.js'
import { Upgrades, offersHttp2, putBackWithoutOffer } from './upgrade.js'

/** Everything that the server joins. */
export interface ServerSetup {
  provider: Provider
  names: NetworkNames
  /** A network that is not open yet answers when it is. */
  pipelineOf: (network: string) => RpcPipeline | Promise<RpcPipeline>
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
  /** Whether plain requests are read before node:http and the app; true unless given. Tests compare both ways. */
  acceleration?: boolean | undefined
  /** Told of faults of ours. */
  report: (fault: unknown) => void
}

/** The HTTP and WebSocket server of a node. It knows paths and transports, and no method. */
export class NodeServer {
  readonly #setup: AppSetup & ServerSetup
  readonly #upgrades: Upgrades
  readonly #servers: Server[] = []
  readonly #fronts: DirectFront[] = []
  /** Under TLS: a server of HTTPS does not know a connection before its handshake is done. */
  readonly #secured = new Set<Socket>()
  #addresses: string[] = []
  #ipc: IpcServer | undefined
  #app: Promise<Hono<AppEnv>> | undefined

  constructor(setup: ServerSetup) {
    const { provider, limits, allowedHosts } = setup
    this.#setup = { ...setup, filePolicy: new FilePolicy(provider), maxUpload: limits.maxUpload }
    this.#upgrades = new Upgrades({
      ...setup,
      ...limits,
      refuseControl: ({ url = '/', headers, socket }) => {
        const isLocal = isLocalAddress(socket.remoteAddress)
        return refuseControl(provider.admission, allowedHosts, { target: url, headers, isLocal })
      },
    })
  }

  /** The app that answers every route. It is loaded when it is first asked for: most requests are read before it. */
  app(): Promise<Hono<AppEnv>> {
    return (this.#app ??= import('./app.js').then(({ createApp }) => createApp(this.#setup)))
  }

  /**
   * Listens for everything: JSON-RPC, WebSocket, the file network, the controls.
   *
   * @returns the port
   * @throws AddressInUseError
   */
  async listen(address: { hosts: readonly string[]; port: number }): Promise<number> {
    const listener = this.#listenerOf(() => this.app())
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
    const listener = this.#listenerOf(async () => (await import('./app.js')).createFileApp(this.#setup))
    return (await this.#listen(address, listener, { upgrades: false })).port
  }

  /**
   * Listens for JSON-RPC on a socket in the file system.
   *
   * @throws IpcPathError
   */
  async listenForIpc(path: string): Promise<void> {
    const { names, pipelineOf, limits, report } = this.#setup
    const { maxMessage } = limits
    this.#ipc = await IpcServer.listen({ path, network: names.standard, pipelineOf, maxMessage, report })
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

  /** A listener of node:http that loads its app with the first request. */
  #listenerOf(load: () => Promise<Hono<AppEnv>>): RequestListener {
    let loading: Promise<RequestListener> | undefined
    return (request, response) => {
      loading ??= Promise.all([load(), import('./app.js')]).then(([app, { createAppListener }]) =>
        createAppListener(app),
      )
      loading.then(
        (listener) => listener(request, response),
        (error: unknown) => {
          this.#setup.report(error)
          response.destroy()
        },
      )
    }
  }

  async #listen(
    address: { hosts: readonly string[]; port: number },
    listener: RequestListener,
    { upgrades }: { upgrades: boolean },
  ): Promise<{ servers: Server[]; port: number }> {
    const listening = await listenOnAll(() => {
      const server = createServer(listener, this.#setup.certificate)
      if (this.#setup.certificate !== undefined) this.#watchSecured(server)
      if (upgrades) this.#watchUpgrades(server)
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

  #watchUpgrades(server: Server): void {
    const { certificate, acceleration = true } = this.#setup
    const front = acceleration && certificate === undefined ? this.#createFront(server) : undefined
    const readAgain =
      front?.handOver ??
      ((socket: Socket) => server.emit(certificate ? 'secureConnection' : 'connection', socket))
    if (front !== undefined) this.#fronts.push(front)
    server.on('upgrade', (request, socket, head) => {
      if (offersHttp2(request)) {
        putBackWithoutOffer(request, socket, head)
        readAgain(socket as Socket)
        return
      }
      this.#upgrades.accept(request, socket, head).catch((error: unknown) => {
        this.#setup.report(error)
        socket.destroy()
      })
    })
  }

  #createFront(server: Server): DirectFront {
    return new DirectFront(server, {
      routeOf: (head) => this.#routeOfPlain(head),
      answer: (request, route) => answerRpc(this.#setup, request, route),
      keepAliveSeconds,
      report: this.#setup.report,
    })
  }

  /** Requests of JSON-RPC but for those of the controls, which go by where a connection comes from. */
  #routeOfPlain({ target, headers: { host } }: RequestHead): RpcRoute | undefined {
    if (isGatewayHost(host)) return undefined
    const route = parseRpcRoute(this.#setup.names, target, host)
    return route?.form === 'control' ? undefined : route
  }
}
