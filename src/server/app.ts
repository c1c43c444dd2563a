import { getRequestListener } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { type Context, Hono } from 'hono'
import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { type Lane, turnIn } from '../encoding/timeSlice.js'
import { kuboVersion } from '../ipfs/version.js'
import { refuse } from '../provider/admission/refusal.js'
import { readBody } from './bodyReader.js'
import { isLocalAddress, refuseControl } from './controlAccess.js'
import {
  type FileSetup,
  answerFileRequest,
  answerGatewayRequest,
  answerRoutingRequest,
  isGatewayPath,
  isRoutingPath,
} from './fileApi.js'
import {
  type Body,
  type HttpRequest,
  type NetworkNames,
  isForContentHost,
  parseRpcRoute,
  rpcPaths,
} from './request.js'
import { type RpcHttpSetup, answerRpc } from './jsonRpc.js'
import { MAX_HEADERS } from './listen.js'
import { createPage, servePage } from './page.js'
import { type HttpReply, emptyReply, textReply, toResponse, writeReply } from './reply.js'

/** Dependencies of the app's routes. */
export interface AppSetup extends RpcHttpSetup, FileSetup {
  names: NetworkNames
  /** Returns the body of the health endpoint; called for each request. */
  health: () => Readonly<Record<string, unknown>>
  /** The controls, mounted under `/_standin`. */
  control?: (() => Promise<Hono>) | undefined
  /** Host names under which the controls answer, besides loopback. */
  allowedHosts: readonly string[]
}

/** The node:http messages behind a request, absent when the app is called in process. */
export interface AppEnv {
  Bindings: { incoming?: IncomingMessage | undefined; outgoing?: ServerResponse | undefined }
}

/** Kubo's answer to `/version` (corehttp, `VersionOption`). */
const versionReply = {
  status: 200,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: `Commit: \nClient Version: kubo/${kuboVersion}\n`,
}

const serverFault = refuse(500, 'internal server error\n')

/** Creates the app with all routes of a node. Its `request()` works without a socket. */
export async function createApp(setup: AppSetup): Promise<Hono<AppEnv>> {
  const app = createFileApp(setup)

  app.use('/_standin/*', (context, next) => {
    const refusal = refuseControl(setup.provider.admission, setup.allowedHosts, new AppRequest(context))
    return refusal === undefined ? next() : send(context, textReply(refusal))
  })
  app.get('/_standin/health', (context) => {
    const health = setup.health()
    return context.json(health, health['ready'] ? 200 : 503)
  })
  app.get('/_standin/page', (context) => context.redirect('/_standin/page/'))
  app.get('/_standin/page/', servePage)
  app.route('/_standin/page', createPage())
  app.get('/', async (context, next) => {
    if (context.req.method !== 'GET' || !context.req.header('accept')?.includes('text/html')) return next()
    const refusal = refuseControl(setup.provider.admission, setup.allowedHosts, new AppRequest(context))
    return refusal === undefined ? servePage(context) : send(context, textReply(refusal))
  })

  for (const path of rpcPaths(setup.names)) {
    app.all(path, async (context, next) => {
      const request = new AppRequest(context)
      const route = parseRpcRoute(setup.names, request.target, request.headers.host)
      return route === undefined ? next() : send(context, await answerRpc(setup, request, route))
    })
  }
  if (setup.control !== undefined) app.route('/_standin', await setup.control())
  app.notFound((context) => send(context, emptyReply(404)))
  return app
}

/** Creates an app with only the file network's routes. */
export function createFileApp(setup: FileSetup): Hono<AppEnv> {
  const app = new Hono<AppEnv>()
  const answerGateway = async (context: Context<AppEnv>): Promise<Response> =>
    send(context, await answerGatewayRequest(setup, new AppRequest(context)))
  // A gateway host name owns all its paths: <cid>.ipfs.localhost.
  app.use((context, next) =>
    isForContentHost(new AppRequest(context).headers) ? answerGateway(context) : next(),
  )
  app.all('/ipfs/*', answerGateway)
  app.all('/ipns/*', answerGateway)
  app.all('/version', async (context) => {
    const request = new AppRequest(context)
    // The parsed URL hides that a path was not clean.
    const isClean = /^\/version(\?|$)/.test(request.target)
    return send(context, isClean ? textReply(versionReply) : await answerFileRequest(setup, request))
  })
  app.all('/api/v0/*', async (context) =>
    send(context, await answerFileRequest(setup, new AppRequest(context))),
  )
  app.notFound(async (context) => {
    const request = new AppRequest(context)
    if (isGatewayPath(request.target)) return answerGateway(context)
    if (isRoutingPath(request.target)) return send(context, await answerRoutingRequest(setup, request))
    return send(context, await answerFileRequest(setup, request))
  })
  app.onError((fault, context) => {
    setup.report(fault)
    if (context.env?.outgoing?.headersSent) context.env.outgoing.destroy()
    return send(context, textReply(serverFault))
  })
  return app
}

/**
 * Creates a node:http listener for an app.
 *
 * @param lane - where each connection waits for its turns
 */
export function createAppListener(app: Hono<AppEnv>, lane: Lane): RequestListener {
  const listener = getRequestListener(app.fetch, {
    // Leaves Node's globals alone.
    overrideGlobalObjects: false,
    // HTTP/1.0 requests may lack a Host.
    hostname: 'localhost',
    // node:http discards an unread body, and the reply a partly read one.
    autoCleanupIncoming: false,
  })
  return inTurns(lane, (request, response) => {
    if (request.rawHeaders.length > 2 * MAX_HEADERS) {
      response.writeHead(431, { connection: 'close' }).end()
    } else void listener(request, response)
  })
}

/** Maximum number of queued requests per connection before reading pauses. */
const MAX_QUEUED_REQUESTS = 64

/**
 * Answers the requests of each connection one after another, like Go's server, yielding to other connections: one read
 * can contain thousands (RFC 9112, section 9.3.2), and node:http emits them all at once. Answers that wait for their
 * turn would hold memory.
 */
function inTurns(lane: Lane, listener: RequestListener): RequestListener {
  const queues = new WeakMap<Socket, RequestQueue>()
  return (request, response) => {
    const { socket } = request
    let queue = queues.get(socket)
    if (queue === undefined) queues.set(socket, (queue = new RequestQueue(socket, lane, listener)))
    queue.add(request, response)
  }
}

/** The requests of a connection that wait for those before them to be answered. */
class RequestQueue {
  readonly #socket: Socket
  readonly #lane: Lane
  readonly #listener: RequestListener
  #waiting: Parameters<RequestListener>[] = []
  #isBusy = false
  #isPaused = false

  constructor(socket: Socket, lane: Lane, listener: RequestListener) {
    this.#socket = socket
    this.#lane = lane
    this.#listener = listener
    // node:http then makes an error for each waiting request, whose stack takes longer than everything else.
    let stackTraceLimit = Error.stackTraceLimit
    socket.prependListener('close', () => {
      stackTraceLimit = Error.stackTraceLimit
      Error.stackTraceLimit = 0
    })
    socket.on('close', () => (Error.stackTraceLimit = stackTraceLimit))
  }

  add(...request: Parameters<RequestListener>): void {
    this.#waiting.push(request)
    if (this.#waiting.length > MAX_QUEUED_REQUESTS) this.#isPaused = true
    // Each time, because node:http resumes the socket after each answer.
    if (this.#isPaused) this.#socket.pause()
    if (!this.#isBusy) this.#next()
  }

  readonly #next = (): void => {
    this.#isBusy = this.#waiting.length > 0
    if (!this.#isBusy) return
    if (this.#isPaused) this.#socket.pause()
    const pause = turnIn(() => this.#lane)
    if (pause === undefined) this.#begin()
    else void pause.then(this.#begin)
  }

  readonly #begin = (): void => {
    const next = this.#waiting.shift()
    if (next === undefined || this.#socket.destroyed) {
      this.#waiting = []
      return
    }
    if (this.#waiting.length === 0 && this.#isPaused) {
      this.#isPaused = false
      this.#socket.resume()
    }
    next[1].once('close', this.#next)
    this.#listener(...next)
  }
}

/** Sends a reply on its connection, or as a Response if there is none. */
async function send(context: Context<AppEnv>, reply: HttpReply): Promise<Response> {
  const { outgoing } = context.env ?? {}
  if (outgoing === undefined) return toResponse(reply)
  await writeReply(outgoing, reply)
  return RESPONSE_ALREADY_SENT
}

/** A request to the app. */
class AppRequest implements HttpRequest {
  readonly target: string
  readonly headers: IncomingHttpHeaders
  readonly #context: Context<AppEnv>

  constructor(context: Context<AppEnv>) {
    this.#context = context
    const { url, headers } = context.req.raw
    const authority = url.indexOf('//') + 2
    const path = url.indexOf('/', authority)
    // The raw target, including segments that the parsed URL has normalised away.
    const target = context.env?.incoming?.url
    this.target = target?.startsWith('/') ? target : url.slice(path)
    // An in-process call has no Host field, but its URL has a host.
    this.headers = context.env?.incoming?.headers ?? {
      host: url.slice(authority, path),
      ...Object.fromEntries(headers),
    }
  }

  get method(): string {
    return this.#context.req.method
  }

  get signal(): AbortSignal {
    return this.#context.req.raw.signal
  }

  /** Whether it comes from this machine. */
  get isLocal(): boolean {
    const { incoming } = this.#context.env ?? {}
    return incoming === undefined || isLocalAddress(incoming.socket.remoteAddress)
  }

  get stream(): Readable {
    const { incoming } = this.#context.env ?? {}
    if (incoming !== undefined) return incoming
    const { body } = this.#context.req.raw
    return body === null ? Readable.from([]) : Readable.fromWeb(body)
  }

  readBody(limit: number): Promise<Body> {
    return readBody(this.stream, limit)
  }
}
