import type { Readable } from 'node:stream'
import { FileNetworkError } from '../ipfs/errors.js'
import { escapeHtml } from '../ipfs/gateway/listingPage.js'
import { type CommandReply, type CommandRequest, type FileNetwork, GoQuery } from '../ipfs/index.js'
import { cleanSegments } from '../ipfs/mfs/filesPath.js'
import type { AdmissionControl, FileCaller } from '../provider/admission/admission.js'
import { type Refusal, refuse, uploadTooLarge } from '../provider/admission/refusal.js'
import type { FilePolicy } from '../provider/policy/filePolicy.js'
import type { Provider } from '../provider/provider.js'
import { CutError, type HttpReply, emptyReply, textReply } from './reply.js'
import { type HttpRequest, UploadBody, isPreflight } from './request.js'

const prefix = '/api/v0/'
const routingPrefix = '/routing/v1/'
const allow = 'OPTIONS, POST'
/** Content of the web interface of this Kubo release (Kubo, `corehttp/webui.go`). */
const webUiPath = '/ipfs/bafybeihxglpcfyarpm7apn7xpezbuoqgk3l5chyk7w4gvrjwk45rqohlmm'
const noSniff = { 'x-content-type-options': 'nosniff' }
const methodNotAllowed = refuse(405, '405 - Method Not Allowed\n', {
  ...noSniff,
  allow,
  vary: 'Origin',
})
const notFound = refuse(404, '404 page not found\n', noSniff)
const serverFault = refuse(500, 'internal server error\n')

/** A request whose body is read as a stream. */
export interface FileHttpRequest extends HttpRequest {
  readonly stream: Readable
}

/** The file network as the server sees it. */
export type FileEndpoint = Pick<FileNetwork, 'execute' | 'gateway'>

/** Dependencies of file requests. */
export interface FileSetup {
  provider: Provider
  filePolicy: FilePolicy
  files: FileEndpoint
  /** Maximum bytes per request; unlimited if undefined. */
  maxUpload: number | undefined
  /** Receives internal faults. */
  report: (fault: unknown) => void
}

/**
 * Answers a file operation. Checks run in Kubo's order (corehttp, go-ipfs-cmds http/handler.go), with the provider's
 * credentials in place of Kubo's origin rule where keys are required.
 */
export async function answerFileRequest(setup: FileSetup, request: FileHttpRequest): Promise<HttpReply> {
  const opened = openToPage(setup.provider.admission, request)
  const reply = await answerOperation(setup, request, opened)
  return { ...reply, headers: { ...withoutNamesOf(opened, reply.headers), ...reply.headers } }
}

/** Omits the headers that a reply has itself, in any case. */
function withoutNamesOf(
  headers: Readonly<Record<string, string>>,
  own: HttpReply['headers'],
): Record<string, string> {
  const names = new Set(Object.keys(own).map((name) => name.toLowerCase()))
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.has(name)))
}

async function answerOperation(
  setup: FileSetup,
  request: FileHttpRequest,
  opened: Readonly<Record<string, string>>,
): Promise<HttpReply> {
  const { path, search } = splitTarget(request.target)
  if (isMalformed(path)) return badRequest
  if (isPreflight(request)) return preflightReply(request, opened)
  const clean = cleanPath(path)
  if (clean !== path) return redirect(request, 307, clean + search)
  if (path === '/webui') return redirect(request, 307, `/webui/${search}`)
  if (path.startsWith('/webui/')) return redirect(request, 302, webUiPath)
  if (!path.startsWith(prefix)) return textReply(notFound)
  if (request.method === 'OPTIONS') return { status: 204, headers: { allow, vary: 'Origin' }, body: '' }
  const operation = decode(path.slice(prefix.length))
  const query = GoQuery.parse(search)
  const refusal = refuseForm(request, operation)
  if (refusal !== undefined) return textReply(refusal)
  const admission = setup.provider.admission.admitFiles({ operation, headers: request.headers })
  if (admission.refusal !== undefined) return textReply(admission.refusal)
  const { caller } = admission
  const admitted = { request, caller, operation, query, params: query.toString() }
  return answerAdmitted(setup, admitted, (asked) => setup.files.execute(asked))
}

/** Splits a raw target into its percent-encoded path and its query, including the question mark. */
function splitTarget(target: string): { path: string; search: string } {
  const question = target.indexOf('?')
  if (question < 0) return { path: target, search: '' }
  return { path: target.slice(0, question), search: target.slice(question) }
}

/** Whether Go's HTTP server rejects the path, which it does before any handler sees the request. */
function isMalformed(path: string): boolean {
  return /%(?![0-9a-f]{2})/i.test(path)
}

const badRequest: HttpReply = {
  status: 400,
  headers: { 'content-type': 'text/plain; charset=utf-8', connection: 'close' },
  body: '400 Bad Request',
}

/** Removes empty segments, `.` and `..`; the API root ends in a slash (Go, `http.ServeMux`). */
function cleanPath(path: string): string {
  const segments = cleanSegments(path)
  const clean = `/${segments.join('/')}`
  const endsInSlash = segments.length > 0 && (path.endsWith('/') || `${clean}/` === prefix)
  return endsInSlash ? `${clean}/` : clean
}

const reasons = { 302: 'Found', 307: 'Temporary Redirect' } as const

/** Redirects like Go's `http.Redirect`: only those who ask for a page get one. */
function redirect({ method }: HttpRequest, status: keyof typeof reasons, location: string): HttpReply {
  if (method !== 'GET' && method !== 'HEAD') return emptyReply(status, { location })
  const body = `<a href="${escapeHtml(location)}">${reasons[status]}</a>.\n\n`
  return textReply({
    status,
    headers: { location, 'content-type': 'text/html; charset=utf-8' },
    body,
  })
}

/** Decodes percent-encoding; text that is not UTF-8 then is returned unchanged. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Whether a path leads to the gateway once it is cleaned, or asks it for the path of an address. */
export function isGatewayPath(target: string): boolean {
  const { path, search } = splitTarget(target)
  if (isMalformed(path)) return false
  return (
    /^\/(ip[fn]s|p2p)\//.test(cleanPath(path)) || (!path.startsWith('/api/') && /[?&]uri=[^&]/.test(search))
  )
}

/** Returns refusals that apply whatever the key. */
function refuseForm({ method }: HttpRequest, operation: string): Refusal | undefined {
  if (method !== 'POST') return methodNotAllowed
  const inPath = /^cat\/([^/]+)$/.exec(operation)?.[1]
  if (inPath === undefined) return undefined
  const advice = `use /api/v0/cat?arg=${inPath} instead`
  return refuse(405, `/api/v0/cat/${inPath} is an undocumented behavior, ${advice}\n`)
}

/** Returns headers that let the requesting page read the answer; a key's own origins are checked with the key. */
function openToPage(admission: AdmissionControl, { headers }: HttpRequest): Record<string, string> {
  const { origin } = headers
  if (!origin) return {}
  const known = admission.settings.mode !== 'open' || admission.isOwnOrigin(origin)
  return known ? { 'access-control-allow-origin': origin, vary: 'Origin' } : { vary: 'Origin' }
}

function preflightReply({ headers }: HttpRequest, opened: Readonly<Record<string, string>>): HttpReply {
  const isOpen = opened['access-control-allow-origin'] !== undefined
  const asked = headers['access-control-request-headers']
  return emptyReply(204, {
    vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
    ...(isOpen && {
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': asked ?? 'Authorization, Content-Type',
    }),
  })
}

/** Whether a path leads to the delegated routing API once it is cleaned. */
export function isRoutingPath(target: string): boolean {
  const { path } = splitTarget(target)
  return !isMalformed(path) && `${cleanPath(path)}/`.startsWith(routingPrefix)
}

/**
 * Answers a request to the delegated routing API. It is public like the gateway, but to store a record takes what the
 * operation `routing/put` takes.
 */
export async function answerRoutingRequest(setup: FileSetup, request: FileHttpRequest): Promise<HttpReply> {
  const { path, search } = splitTarget(request.target)
  const clean = cleanPath(path)
  const isRoot = `${clean}/` === routingPrefix
  if (clean !== path || isRoot) return redirect(request, 307, (isRoot ? routingPrefix : clean) + search)
  const operation = request.method === 'PUT' ? 'routing/put' : 'gateway'
  const admission =
    request.method === 'PUT'
      ? setup.provider.admission.admitFiles({ operation, headers: request.headers })
      : { refusal: undefined, caller: { key: undefined } }
  if (admission.refusal !== undefined) return textReply(admission.refusal)
  const { caller } = admission
  const admitted = { request, caller, operation, query: GoQuery.parse(search), params: request.target }
  return answerAdmitted(setup, admitted, ({ headers, body, signal }) =>
    setup.files.gateway.route({ method: request.method, path, headers, body, signal }),
  )
}

/** Answers a gateway request. The gateway is public in every mode, as pages embed its content by address. */
export async function answerGatewayRequest(setup: FileSetup, request: FileHttpRequest): Promise<HttpReply> {
  const { target, method } = request
  const { path, search } = splitTarget(target)
  if (isMalformed(path)) return badRequest
  const query = GoQuery.parse(search)
  const admitted = { request, caller: { key: undefined }, operation: 'gateway', query, params: target }
  return answerAdmitted(setup, admitted, ({ headers, signal }) =>
    setup.files.gateway.handle({ method, path, query, search, headers, signal }),
  )
}

/** An admitted request. */
interface AdmittedRequest {
  request: FileHttpRequest
  caller: FileCaller
  /** The operation, or `gateway`. */
  operation: string
  query: GoQuery
  /** What the journal records: the query of an operation, the whole target of a gateway request. */
  params: string
}

/** The request as commands see it. */
type FileRequest = CommandRequest & { headers: Record<string, string>; body: AsyncIterable<Uint8Array> }

/** Answers a request if the file policy admits it, and reports the outcome to the policy once the answer is sent. */
async function answerAdmitted(
  setup: FileSetup,
  { request, caller, operation, query, params }: AdmittedRequest,
  answer: (asked: FileRequest) => Promise<CommandReply>,
): Promise<HttpReply> {
  const started = performance.now()
  const record = await setup.filePolicy.enter(caller, operation, params)
  const limit = setup.provider.limitsOf(caller.key).maxUpload ?? setup.maxUpload
  const upload = new UploadBody(request.stream, limit)
  const isTooLong = limit !== undefined && Number(request.headers['content-length'] ?? 0) > limit
  const refusal = record.refusal ?? (isTooLong ? uploadTooLarge : undefined)
  const run = async (): Promise<HttpReply> => {
    try {
      const { signal } = request
      const reply = await answer({ operation, query, headers: singleHeaders(request), body: upload, signal })
      return upload.tooLong ? textReply(uploadTooLarge) : { ...reply, effects: record.effects }
    } catch (error) {
      if (!upload.tooLong) setup.report(error)
      return textReply(upload.tooLong ? uploadTooLarge : serverFault)
    }
  }
  const reply = refusal === undefined ? await run() : textReply(refusal)
  return {
    ...reply,
    ended: ({ bytes, fault }) => {
      // A failed operation leaves part of the body unread, and the connection's next request follows it.
      void upload.return()
      if (fault !== undefined && !upload.tooLong && !isExpected(fault)) setup.report(fault)
      record.done({
        status: reply.status,
        uploaded: upload.length,
        downloaded: refusal === undefined ? bytes : 0,
        milliseconds: performance.now() - started,
      })
    },
  }
}

/** Whether an answer was cut off on purpose, or at content that is missing or malformed. */
function isExpected(fault: unknown): boolean {
  return fault instanceof CutError || fault instanceof FileNetworkError
}

function singleHeaders({ headers }: HttpRequest): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : value,
  ])
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Record<string, string>
}
