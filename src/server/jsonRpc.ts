import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { AdmissionResult } from '../provider/admission/admission.js'
import { type Refusal, refuse } from '../provider/admission/refusal.js'
import type { Caller } from '../provider/caller.js'
import type { Provider } from '../provider/provider.js'
import type { RequestContext } from '../rpc/callPolicy.js'
import type { Dispatcher } from '../rpc/dispatcher.js'
import type { Reply } from '../rpc/reply.js'
import { answerPreflight, isPreflight, openToPages } from './access.js'
import { type Body, readBody } from './body.js'
import { sendWithFaults, sendEmpty, sendText } from './reply.js'
import type { RpcRoute } from './route.js'

/** The longest bodies of JSON-RPC requests, in bytes. */
export interface BodyLimits {
  /** Where a key is needed. */
  maxBody: number
  /** On the controls' own path, and at `/` and `/v3` in open mode. */
  maxControlBody: number
}

/** What JSON-RPC over HTTP is made of. */
export interface RpcHttpSetup {
  provider: Provider
  /** A network that is not open yet answers when it is. */
  dispatcherOf: (network: string) => Dispatcher | Promise<Dispatcher>
  limits: BodyLimits
  /** Told of what a dispatcher throws; none should. */
  report: (fault: unknown) => void
}

/** Media types of a JSON-RPC body (geth: rpc/http.go). */
const jsonTypes = /^application\/(json|json-rpc|jsonrequest)[ \t]*(;|$)/i

const methodNotAllowed = refuse(405, 'method not allowed\n')
const badContentType = refuse(415, 'invalid content type, only application/json is supported\n')
const serverFault = refuse(500, 'internal server error\n')

/**
 * Answers an HTTP request on a path of JSON-RPC: the preflight, admission, the rules of the transport (geth:
 * rpc/http.go), the dispatcher.
 */
export function answerRpc(setup: RpcHttpSetup, exchange: RpcExchange, route: RpcRoute): void {
  if (isPreflight(exchange)) {
    answerPreflight(exchange.response)
    return
  }
  const admission = setup.provider.admission.admitRpc({
    transport: 'http',
    network: route.network,
    key: route.key,
    trailing: route.trailing,
    control: route.form === 'control',
    headers: exchange.headers,
  })
  if (admission instanceof Promise) {
    admission.then(
      (settled) => answerAdmitted(setup, exchange, route, settled),
      (error: unknown) => fail(setup, exchange, error),
    )
  } else answerAdmitted(setup, exchange, route, admission)
}

function answerAdmitted(
  setup: RpcHttpSetup,
  exchange: RpcExchange,
  route: RpcRoute,
  admission: AdmissionResult<Caller>,
): void {
  if (admission.refusal !== undefined) {
    sendText(exchange.response, openRefusal(admission.refusal))
    return
  }
  const { caller } = admission
  const limit = setup.provider.limitOf(caller.key, 'maxBody') ?? longestBody(setup, route)
  const refusal = refuseTransport(exchange, limit)
  if (refusal !== undefined) {
    setup.provider.note(caller, 'http', { status: refusal.status })
    sendText(exchange.response, openRefusal(refusal))
  } else if (exchange.method !== 'POST') sendEmpty(exchange.response, 200, openToPages)
  else {
    const context = new HttpContext(caller, exchange, setup.provider.limitOf(caller.key, 'maxBatch'))
    exchange.readBody(limit, (body) => {
      // A body that grows over the limit without having said so is cut, and what is left is no JSON (geth).
      const content = 'content' in body ? body.content : '{'
      const dispatcher = setup.dispatcherOf(route.network)
      if (dispatcher instanceof Promise) {
        dispatcher.then(
          (opened) => dispatch(setup, opened, content, context),
          (error: unknown) => fail(setup, exchange, error),
        )
      } else dispatch(setup, dispatcher, content, context)
    })
  }
}

function dispatch(
  setup: RpcHttpSetup,
  dispatcher: Dispatcher,
  body: Uint8Array | string,
  context: HttpContext,
): void {
  const { exchange } = context
  try {
    const reply = dispatcher.handle(body, context)
    if (reply instanceof Promise) {
      reply.then(
        (settled) => sendReply(setup, context, settled),
        (error: unknown) => fail(setup, exchange, error),
      )
    } else sendReply(setup, context, reply)
  } catch (error) {
    fail(setup, exchange, error)
  }
}

function sendReply(
  { provider }: RpcHttpSetup,
  { exchange, caller }: HttpContext,
  reply: Reply | undefined,
): void {
  if (reply?.malformed) {
    provider.note(caller, 'http', { status: 200, error: { code: -32700, message: 'parse error' } })
  }
  if (caller.effects !== undefined || caller.failover) sendWithFaults(exchange.response, reply, caller)
  else if (reply === undefined) sendEmpty(exchange.response, 200, openToPages)
  else exchange.send(reply)
}

/** What the transport itself refuses, whatever the body says. */
function refuseTransport({ method, target, headers }: RpcExchange, limit: number): Refusal | undefined {
  if (method === 'PUT' || method === 'DELETE') return methodNotAllowed
  const length = Number(headers['content-length'] ?? 0)
  if (length > limit) return refuse(413, `content length too large (${length}>${limit})\n`)
  if (method === 'OPTIONS') return undefined
  if (
    method === 'GET' &&
    length === 0 &&
    !target.includes('?') &&
    headers['transfer-encoding'] === undefined
  ) {
    return undefined
  }
  const type = headers['content-type'] ?? ''
  const isJson = method === 'POST' && (type === 'application/json' || jsonTypes.test(type))
  return isJson ? undefined : badContentType
}

function longestBody(setup: RpcHttpSetup, route: RpcRoute): number {
  const { maxBody, maxControlBody } = setup.limits
  const isOpen = setup.provider.mode === 'open' && route.key === undefined
  return isOpen || route.form === 'control' ? maxControlBody : maxBody
}

function openRefusal(refusal: Refusal): Refusal {
  return { ...refusal, headers: { ...refusal.headers, ...openToPages } }
}

function fail(setup: RpcHttpSetup, { response }: RpcExchange, error: unknown): void {
  setup.report(error)
  if (response.headersSent) response.destroy()
  else sendText(response, serverFault)
}

/** Where a request over HTTP comes from. */
export class HttpContext implements RequestContext {
  readonly transport = 'http'
  readonly caller: Caller
  readonly exchange: RpcExchange
  readonly maxBatch: number | undefined
  #controller: AbortController | undefined

  constructor(caller: Caller, exchange: RpcExchange, maxBatch: number | undefined) {
    this.caller = caller
    this.exchange = exchange
    this.maxBatch = maxBatch
  }

  /** Made when it is first asked for: most methods answer at once and never look. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController()
      // An abort makes an error with its stack, which an answered request does without.
      this.exchange.onAbandoned(() => controller.abort())
      this.#controller = controller
    }
    return this.#controller.signal
  }
}

/** One request on a path of JSON-RPC and the way back to its sender, whatever reads and writes HTTP. */
export interface RpcExchange {
  readonly method: string | undefined
  /** The request's target as it came, with its query. */
  readonly target: string
  readonly headers: IncomingHttpHeaders
  /** What refusals, empty answers and disturbed ones are written to; used instead of `send`. */
  readonly response: ServerResponse
  /** Reads the body as {@link readBody} does. */
  readBody(limit: number, done: (body: Body) => void): void
  /** Answers with a reply as it is. Called at most once. */
  send(reply: Reply): void
  /** Tells once if the other side goes away before it is answered. */
  onAbandoned(listener: () => void): void
}

/** A request that node:http has read and will answer. */
export class NodeExchange implements RpcExchange {
  readonly method: string | undefined
  readonly target: string
  readonly headers: IncomingHttpHeaders
  readonly response: ServerResponse
  readonly #request: IncomingMessage

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.method = request.method
    this.target = request.url ?? '/'
    this.headers = request.headers
    this.response = response
    this.#request = request
  }

  readBody(limit: number, done: (body: Body) => void): void {
    readBody(this.#request, limit, done)
  }

  /** Writes the pieces of a reply as they are: large ones are not copied. */
  send(reply: Reply): void {
    const { response } = this
    response.writeHead(reply.status, [
      'content-type',
      reply.contentType,
      'content-length',
      String(reply.byteLength),
      'access-control-allow-origin',
      '*',
    ])
    if (reply.byteText !== undefined) {
      // Node writes a short text together with the head, where bytes would be a chunk of their own.
      response.end(reply.byteText, 'latin1')
      return
    }
    response.cork()
    for (const piece of reply.pieces) response.write(piece)
    response.uncork()
    response.end()
  }

  onAbandoned(listener: () => void): void {
    this.response.once('close', () => {
      if (!this.response.writableFinished) listener()
    })
  }
}
