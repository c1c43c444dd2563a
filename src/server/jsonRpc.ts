import { MemoryShare } from '../encoding/memoryShare.js'
import { type Awaitable, orElse, whenReady } from '../encoding/timeSlice.js'
import type { Caller } from '../provider/admission/admission.js'
import { type Refusal, refuse } from '../provider/admission/refusal.js'
import type { Provider } from '../provider/provider.js'
import type { RequestContext } from '../rpc/callPolicy.js'
import { type Admission, type RequestTransport, type RpcPipeline, answerRequest } from '../rpc/pipeline.js'
import type { Reply } from '../rpc/wire.js'
import { type HttpReply, emptyReply, textReply } from './reply.js'
import { type HttpRequest, type RpcRoute, isPreflight } from './request.js'

/** Maximum lengths of JSON-RPC bodies, in bytes. */
export interface BodyLimits {
  /** Where a key is required. */
  maxBody: number
  /** On the controls' own path, and on `/` and `/v3` in open mode. */
  maxControlBody: number
}

/** Dependencies of JSON-RPC over HTTP. */
export interface RpcHttpSetup {
  provider: Provider
  /** Returns the pipeline of a network, opening it if necessary. */
  pipelineOf: (network: string) => Awaitable<RpcPipeline>
  limits: BodyLimits
}

/** Media types of a JSON-RPC body (geth: rpc/http.go). */
const jsonTypes: ReadonlySet<string> = new Set([
  'application/json',
  'application/json-rpc',
  'application/jsonrequest',
])
/** A parameter of a media type: its name, and its value with or without quotes (RFC 2045, section 5.1). */
const typeParameter = /\s*;\s*([\w!#$%&'*+.^`{|}~-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([\w!#$%&'*+.^`{|}~-]+))/y
/** An escape within quotes. Any other backslash stands for itself. */
const escaped = /\\([()<>@,;:\\"/[\]?=])/g

/** Whether a media type is one of JSON-RPC, with parameters that Go accepts (mime.ParseMediaType). */
function isJsonType(text: string): boolean {
  const semicolon = text.indexOf(';')
  let end = semicolon < 0 ? text.length : semicolon
  if (!jsonTypes.has(text.slice(0, end).trim().toLowerCase())) return false
  const values = new Map<string, string>()
  for (;;) {
    typeParameter.lastIndex = end
    const [whole, name = '', quoted, plain = ''] = typeParameter.exec(text) ?? []
    if (whole === undefined) return ['', ';'].includes(text.slice(end).trim())
    const value = quoted?.replace(escaped, '$1') ?? plain
    const key = name.toLowerCase()
    if ((values.get(key) ?? value) !== value) return false
    values.set(key, value)
    end += whole.length
  }
}

const noSniff = { 'x-content-type-options': 'nosniff' }
const methodNotAllowed = refuse(405, 'method not allowed\n', noSniff)
const badContentType = refuse(415, 'invalid content type, only application/json is supported\n', noSniff)

/** On every reply to a JSON-RPC request, so that web pages may read it. */
const openToPages = { 'access-control-allow-origin': '*' }

/** Lets any page send JSON-RPC: the key is in the path, and a preflight needs no credentials. */
const preflightReply = emptyReply(200, {
  ...openToPages,
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': 'Content-Type, Authorization, Enable-Failover',
  vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
})

/** Says who answered, which matters during a simulated outage. */
const answeredByHeader = 'x-standin-answered-by'

/** Answers an HTTP request on a JSON-RPC path; see rpc/pipeline.ts for its path from there. */
export function answerRpc(setup: RpcHttpSetup, request: HttpRequest, route: RpcRoute): Awaitable<HttpReply> {
  if (isPreflight(request)) return preflightReply
  const transport = new HttpTransport(setup, request, route)
  return orElse(
    () =>
      whenReady(answerRequest(transport), (outcome) =>
        'answer' in outcome
          ? outcome.answer
          : transport.releaseAfter(formatReply(outcome.reply, outcome.context.caller)),
      ),
    (fault) => {
      transport.release()
      throw fault
    },
  )
}

/** HTTP as a pipeline transport, with geth's rules in geth's order (rpc/http.go). */
class HttpTransport implements RequestTransport<HttpContext, HttpReply> {
  readonly #setup: RpcHttpSetup
  readonly #request: HttpRequest
  readonly #route: RpcRoute
  #memory: MemoryShare | undefined
  #releaseBody: (() => void) | undefined

  constructor(setup: RpcHttpSetup, request: HttpRequest, route: RpcRoute) {
    this.#setup = setup
    this.#request = request
    this.#route = route
  }

  get signal(): AbortSignal {
    return this.#request.signal
  }

  /** What the request holds in memory. Created on first use: most requests hold little. */
  get memory(): MemoryShare {
    return (this.#memory ??= new MemoryShare())
  }

  release(): void {
    this.#releaseBody?.()
    this.#memory?.end()
  }

  /** Releases the memory of the body, and the rest once the reply is sent. */
  releaseAfter(reply: HttpReply): HttpReply {
    this.#releaseBody?.()
    if (this.#memory === undefined) return reply
    if (typeof reply.body !== 'string') return { ...reply, ended: () => this.release() }
    this.release()
    return reply
  }

  admit(): Awaitable<Admission<HttpContext> | { answer: HttpReply }> {
    const { network, key, trailing, form } = this.#route
    const { headers } = this.#request
    const control = form === 'control'
    const entry = { transport: 'http', network, key, trailing, control, headers } as const
    return whenReady(this.#setup.provider.admitRpc(entry), (admission) => {
      if (admission.refusal !== undefined) return { answer: refusalReply(admission.refusal) }
      const { caller, limits } = admission
      const isPlainPath = form === 'root'
      const context = new HttpContext(caller, this, { maxBatch: limits.maxBatch, isPlainPath })
      return { context, maxBody: limits.maxBody ?? this.#maxBody() }
    })
  }

  readBody({
    context,
    maxBody,
  }: Admission<HttpContext>): Awaitable<{ content: Uint8Array | string } | { answer: HttpReply }> {
    const refusal = this.#refuse(maxBody)
    if (refusal !== undefined) {
      this.#setup.provider.record(context.caller, 'http', { status: refusal.status })
      return { answer: refusalReply(refusal) }
    }
    if (this.#isStatusRequest()) return { answer: emptyReply(200, openToPages) }
    // Like in geth, a body that exceeds the limit without declaring it is cut off, and so is not JSON.
    return whenReady(this.#request.readBody(maxBody), (body) => {
      if ('tooLong' in body) return { content: '{' }
      const { release } = body
      if (release !== undefined) {
        this.#releaseBody = release
        this.signal.addEventListener('abort', release, { once: true })
      }
      return body
    })
  }

  open(): Awaitable<RpcPipeline> {
    return this.#setup.pipelineOf(this.#route.network)
  }

  /** Returns refusals that apply whatever the body. */
  #refuse(maxBody: number): Refusal | undefined {
    const { method, headers } = this.#request
    if (method === 'PUT' || method === 'DELETE') return methodNotAllowed
    const length = Number(headers['content-length'] ?? 0)
    if (length > maxBody) return refuse(413, `content length too large (${length}>${maxBody})\n`, noSniff)
    if (method === 'OPTIONS' || this.#isStatusRequest()) return undefined
    const type = headers['content-type'] ?? ''
    return type === 'application/json' || isJsonType(type) ? undefined : badContentType
  }

  /** Whether only the status is requested. Like in geth, any other method has a body that counts. */
  #isStatusRequest(): boolean {
    const { method, target, headers } = this.#request
    if (method !== 'GET' && method !== 'OPTIONS') return false
    const isEmpty = Number(headers['content-length'] ?? 0) === 0 && headers['transfer-encoding'] === undefined
    return isEmpty && !(method === 'GET' && target.includes('?'))
  }

  #maxBody(): number {
    const { limits, provider } = this.#setup
    const isOpen = provider.mode === 'open' && this.#route.key === undefined
    return isOpen || this.#route.form === 'control' ? limits.maxControlBody : limits.maxBody
  }
}

function refusalReply(refusal: Refusal): HttpReply {
  return textReply({ ...refusal, headers: { ...refusal.headers, ...openToPages } })
}

function formatReply(reply: Reply | undefined, { effects, failover, answeredBy }: Caller): HttpReply {
  // Written as a literal: extending a copy of openToPages costs a small request a tenth of its time.
  const headers: Record<string, string> =
    reply === undefined
      ? { ...openToPages, 'content-type': 'application/json', 'content-length': '0' }
      : {
          'access-control-allow-origin': '*',
          'content-type': reply.contentType,
          'content-length': String(reply.byteLength),
        }
  if (reply?.headers !== undefined) Object.assign(headers, reply.headers)
  if (failover) headers[answeredByHeader] = answeredBy ?? 'primary'
  return { status: reply?.status ?? 200, headers, body: reply?.byteText ?? reply?.pieces ?? '', effects }
}

/** Context of an HTTP request. */
class HttpContext implements RequestContext {
  readonly transport = 'http'
  readonly caller: Caller
  readonly maxBatch: number | undefined
  readonly isPlainPath: boolean | undefined
  readonly #transport: HttpTransport

  constructor(
    caller: Caller,
    transport: HttpTransport,
    { maxBatch, isPlainPath }: Pick<RequestContext, 'maxBatch' | 'isPlainPath'>,
  ) {
    this.caller = caller
    this.maxBatch = maxBatch
    this.isPlainPath = isPlainPath
    this.#transport = transport
  }

  get signal(): AbortSignal {
    return this.#transport.signal
  }

  get memory(): MemoryShare {
    return this.#transport.memory
  }
}
