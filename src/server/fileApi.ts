import type { IncomingMessage, ServerResponse } from 'node:http'
import type { CommandReply, CommandRequest, FileNetwork } from '../ipfs/index.js'
import type { AdmissionControl, FileCaller } from '../provider/admission/admission.js'
import { type Refusal, refuse, uploadTooLarge } from '../provider/admission/refusal.js'
import type { FilePolicy, FileRecord } from '../provider/policy/filePolicy.js'
import type { Provider } from '../provider/provider.js'
import { isPreflight } from './access.js'
import { UploadBody } from './body.js'
import { CutError, sendEmpty, sendStream, sendText } from './reply.js'

const prefix = '/api/v0/'
const allow = 'OPTIONS, POST'
const noSniff = { 'x-content-type-options': 'nosniff' }
const methodNotAllowed = refuse(405, '405 - Method Not Allowed\n', { ...noSniff, allow })
const notFound = refuse(404, '404 page not found\n', noSniff)

/** Whether a path belongs to the file network's operations. */
export function isFilePath(path: string): boolean {
  return path.startsWith('/api/v0/') || path === '/api/v0'
}

/**
 * Answers an operation of the file network. The order of checks is Kubo's (corehttp, go-ipfs-cmds
 * http/handler.go), with the provider's credentials in the place of Kubo's rule for web pages where keys count.
 */
export async function answerFileRequest(
  setup: FileSetup,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname, searchParams } = readTarget(request.url)
  const operation = pathname.slice(prefix.length)
  const opened = openToPage(setup.provider.admission, request)
  for (const [name, value] of Object.entries(opened)) response.setHeader(name, value)
  if (isPreflight(request)) {
    answerPreflight(request, response, opened)
    return
  }
  if (!pathname.startsWith(prefix) || pathname.length === prefix.length) {
    sendText(response, notFound)
    return
  }
  if (request.method === 'OPTIONS') {
    response.writeHead(204, { allow })
    response.end()
    return
  }
  const refusal = refuseForm(request, operation)
  if (refusal !== undefined) {
    sendText(response, refusal)
    return
  }
  const admission = setup.provider.admission.admitFiles({ operation, headers: request.headers })
  if (admission.refusal !== undefined) sendText(response, admission.refusal)
  else {
    const { caller } = admission
    await answerAdmitted(setup, { request, response, caller, operation, query: searchParams }, (asked) =>
      setup.files.execute(asked),
    )
  }
}

/** What a target says. One that is no URL, as `//` with a host of no characters, names no operation. */
function readTarget(target = '/'): URL {
  const base = 'http://localhost'
  return URL.canParse(target, base) ? new URL(target, base) : new URL(base)
}

/** What is refused whoever asks. */
function refuseForm(request: IncomingMessage, operation: string): Refusal | undefined {
  if (request.method !== 'POST') return methodNotAllowed
  const inPath = /^cat\/(.+)$/.exec(operation)?.[1]
  if (inPath === undefined) return undefined
  const advice = `use /api/v0/cat?arg=${inPath} instead`
  return refuse(405, `/api/v0/cat/${inPath} is an undocumented behavior, ${advice}\n`)
}

/** Headers that let the page behind a request read the answer; a key's own origins are judged with the key. */
function openToPage(admission: AdmissionControl, request: IncomingMessage): Record<string, string> {
  const { origin } = request.headers
  if (origin === undefined) return {}
  const known = admission.settings.mode !== 'open' || admission.isOwnOrigin(origin)
  return known ? { 'access-control-allow-origin': origin, vary: 'Origin' } : { vary: 'Origin' }
}

function answerPreflight(
  request: IncomingMessage,
  response: ServerResponse,
  opened: Readonly<Record<string, string>>,
): void {
  const isOpen = opened['access-control-allow-origin'] !== undefined
  const asked = request.headers['access-control-request-headers']
  sendEmpty(response, 204, {
    vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
    ...(isOpen && {
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': asked ?? 'Authorization, Content-Type',
    }),
  })
}

/** The file network as the server sees it. */
export type FileEndpoint = Pick<FileNetwork, 'execute' | 'gateway'>

/** What the file network's requests are answered with. */
export interface FileSetup {
  provider: Provider
  policy: FilePolicy
  files: FileEndpoint
  /** Most bytes of one request; undefined is no limit. */
  maxUpload: number | undefined
  report: (fault: unknown) => void
}

/** An admitted request. */
export interface AdmittedRequest {
  request: IncomingMessage
  response: ServerResponse
  caller: FileCaller
  /** The operation, or `gateway`. */
  operation: string
  query: URLSearchParams
}

/** What an answer is made from. */
export type FileRequest = CommandRequest & {
  headers: Record<string, string>
  body: AsyncIterable<Uint8Array>
}

/** Answers a request, free of any transport. */
export type AnswerFiles = (asked: FileRequest) => Promise<CommandReply>

/** Answers a request that the file policy lets through, and records how it ended. */
export async function answerAdmitted(
  setup: FileSetup,
  admitted: AdmittedRequest,
  answer: AnswerFiles,
): Promise<void> {
  const { request, response, caller, operation, query } = admitted
  const started = performance.now()
  const record = await setup.policy.enter(caller, operation, query)
  const limit = setup.provider.limitOf(caller.key, 'maxUpload') ?? setup.maxUpload
  const upload = new UploadBody(request, limit)
  const length = Number(request.headers['content-length'] ?? 0)
  let sent = 0
  if (record.refusal !== undefined) sendText(response, record.refusal)
  else if (limit !== undefined && length > limit) sendText(response, uploadTooLarge)
  else sent = await write(setup, admitted, { upload, record, answer })
  record.done({
    status: response.statusCode,
    uploaded: upload.length,
    downloaded: sent,
    milliseconds: performance.now() - started,
  })
}

/** @returns the bytes of the answer's body */
async function write(
  setup: FileSetup,
  { request, response, operation, query }: AdmittedRequest,
  { upload, record, answer }: { upload: UploadBody; record: FileRecord; answer: AnswerFiles },
): Promise<number> {
  const counter = { bytes: 0 }
  const controller = new AbortController()
  response.once('close', () => controller.abort())
  try {
    const headers = singleHeaders(request)
    const reply = await answer({ operation, query, headers, body: upload, signal: controller.signal })
    if (upload.tooLong) sendText(response, uploadTooLarge)
    else await sendStream(response, reply, { effects: record.effects, counter })
  } catch (error) {
    if (response.destroyed) return counter.bytes
    const isCut = error instanceof CutError
    if (!upload.tooLong && !isCut) setup.report(error)
    if (response.headersSent || isCut) response.destroy()
    else sendText(response, upload.tooLong ? uploadTooLarge : refuse(500, 'internal server error\n'))
  }
  return counter.bytes
}

function singleHeaders(request: IncomingMessage): Record<string, string> {
  const entries = Object.entries(request.headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : value,
  ])
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Record<string, string>
}

/** Whether a request is for the gateway: by its path, or by a host name such as `<cid>.ipfs.localhost`. */
export function isForGateway(target: string, host = ''): boolean {
  return /^\/ip[fn]s(?:[/?]|$)/.test(target) || /^[^.]+\.ip[fn]s\./i.test(host)
}

/** Answers a request to the gateway, which is public in every mode: pages show what is there by its address. */
export async function answerGatewayRequest(
  setup: FileSetup,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { url = '/', method = 'GET' } = request
  const question = url.indexOf('?')
  const path = question < 0 ? url : url.slice(0, question)
  const query = new URLSearchParams(question < 0 ? '' : url.slice(question))
  const admitted = { request, response, caller: { key: undefined }, operation: 'gateway', query }
  await answerAdmitted(setup, admitted, ({ headers, signal }) =>
    setup.files.gateway.handle({ method, path, query, headers, signal }),
  )
}
