import type { Hono } from 'hono'
import type { RequestListener } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { type Awaitable, type Lane, lanes, nextTurn } from '../encoding/timeSlice.js'
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
  isForContentHost,
  parseRpcRoute,
} from './request.js'
import { IpcServer } from './ipc.js'
import { type BodyLimits, answerRpc } from './jsonRpc.js'
import {
  type Certificate,
  type Server,
  createServer,
  formatAddress,
  KEEP_ALIVE_SECONDS,
  listenOnAll,
} from './listen.js'
import { Upgrades, offersHttp2, putBackWithoutOffer } from './upgrade.js'

/** Dependencies of the server. */
export interface ServerSetup {
  provider: Provider
  names: NetworkNames
  /** Returns the pipeline of a network, opening it if necessary. */
  pipelineOf: (network: string) => Awaitable<RpcPipeline>
  files: FileEndpoint
  /** For HTTPS and WSS; plain HTTP without. */
  certificate?: Certificate | undefined
  /** Routes of the controls other than JSON-RPC and health. */
  control?: (() => Promise<Hono>) | undefined
  /** Returns the body of the health endpoint. */
  health: () => Readonly<Record<string, unknown>>
  /** Host names under which the controls answer, besides loopback. */
  allowedHosts: readonly string[]
  limits: BodyLimits & { maxMessage: number; maxUpload: number | undefined; idleTimeout: number | undefined }
  /** Whether plain requests bypass node:http and the app; true by default. Tests compare both ways. */
  acceleration?: boolean | undefined
  /** Receives internal faults. */
  report: (fault: unknown) => void
}

/** The HTTP and WebSocket server of a node. It knows paths and transports, but no methods. */
export class NodeServer {
  readonly #setup: AppSetup & ServerSetup
  readonly #upgrades: Upgrades
  readonly #servers: Server[] = []
  readonly #fronts: DirectFront[] = []
  /** Connections under TLS, which an HTTPS server does not know before the handshake is done. */
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

  /**
   * Returns the app that answers every route. Loaded on first use, as most requests bypass it, and in several turns of
   * the event loop, as each part takes long.
   */
  app(): Promise<Hono<AppEnv>> {
    return (this.#app ??= import('./app.js').then(async ({ createApp }) => {
      await nextTurn()
      return createApp(this.#setup)
    }))
  }

  /**
   * Serves everything: JSON-RPC, WebSocket, the file network, the controls.
   *
   * @returns the port
   * @throws AddressInUseError
   */
  async listen(address: { hosts: readonly string[]; port: number }): Promise<number> {
    const listener = this.#listenerOf(() => this.app(), lanes.changes)
    const { servers, port } = await this.#listen(address, listener, { upgrades: true })
    this.#addresses = servers.map((server) => formatAddress((server.address() as AddressInfo).address, port))
    return port
  }

  /**
   * Serves only the file network.
   *
   * @returns the port
   * @throws AddressInUseError
   */
  async listenForFiles(address: { hosts: readonly string[]; port: number }): Promise<number> {
    const load = async (): Promise<Hono<AppEnv>> => (await import('./app.js')).createFileApp(this.#setup)
    const listener = this.#listenerOf(load, lanes.files)
    return (await this.#listen(address, listener, { upgrades: false })).port
  }

  /**
   * Serves JSON-RPC on a file-system socket.
   *
   * @throws IpcPathError
   */
  async listenForIpc(path: string): Promise<void> {
    const { names, pipelineOf, limits, report } = this.#setup
    const { maxMessage } = limits
    this.#ipc = await IpcServer.listen({ path, network: names.standard, pipelineOf, maxMessage, report })
  }

  /** Addresses that serve JSON-RPC, such as `127.0.0.1:8545`. */
  get addresses(): string[] {
    return this.#addresses
  }

  /** Stops listening and closes every connection, at the latest after `graceMilliseconds`. */
  async close(graceMilliseconds = 1000): Promise<void> {
    this.#upgrades.closeAll()
    const closed = this.#servers.map((server) => new Promise((resolve) => server.close(resolve)))
    const closeIdle = (): void => {
      for (const server of [...this.#servers, ...this.#fronts]) server.closeIdleConnections()
    }
    closeIdle()
    // Requests answered from now on may leave idle keep-alive connections.
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

  /** Creates a node:http listener that loads its app on the first request. */
  #listenerOf(load: () => Promise<Hono<AppEnv>>, lane: Lane): RequestListener {
    let loading: Promise<RequestListener> | undefined
    return (request, response) => {
      loading ??= Promise.all([load(), import('./app.js')]).then(([app, { createAppListener }]) =>
        createAppListener(app, lane),
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
      // Passes every connection on, but in turns, however many arrive at once.
      else if (this.#setup.certificate === undefined) this.#createFront(server, () => undefined)
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
    const front =
      acceleration && certificate === undefined
        ? this.#createFront(server, (head) => this.#routeOfPlain(head))
        : undefined
    const readAgain =
      front?.handOff ??
      ((socket: Socket) => server.emit(certificate ? 'secureConnection' : 'connection', socket))
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

  #createFront(server: Server, routeOf: (head: RequestHead) => RpcRoute | undefined): DirectFront {
    const front = new DirectFront(server, {
      routeOf,
      answer: (request, route) => answerRpc(this.#setup, request, route),
      keepAliveSeconds: KEEP_ALIVE_SECONDS,
      report: this.#setup.report,
    })
    this.#fronts.push(front)
    return front
  }

  /** Routes JSON-RPC except the controls, which depend on where a connection comes from. */
  #routeOfPlain({ target, headers }: RequestHead): RpcRoute | undefined {
    if (isForContentHost(headers)) return undefined
    const route = parseRpcRoute(this.#setup.names, target, headers.host)
    return route?.form === 'control' ? undefined : route
  }
}
