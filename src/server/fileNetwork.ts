import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FileNetwork } from '../ipfs/index.js'
import type { Door } from '../provider/door/door.js'
import type { FileCaller } from '../provider/door/door.js'
import type { Refusal } from '../provider/door/refusal.js'
import { refuse, uploadTooLarge } from '../provider/door/refusal.js'
import type { FilePassage } from '../provider/files/fileGate.js'
import type { Provider } from '../provider/provider.js'
import { isPreflight } from './cors.js'
import { sendEmpty, sendText } from './reply.js'
import { CutError } from './disturb.js'
import { sendStream } from './stream.js'

/** The file network as the server sees it. */
export type FileEndpoint = Pick<FileNetwork, 'execute'>

/** What the file network's requests are answered with. */
export interface FileSetup {
  provider: Provider
  files: FileEndpoint
  /** Most bytes of one request; undefined is no limit. */
  maxUpload: number | undefined
  report: (fault: unknown) => void
}

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
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
  const operation = pathname.slice(prefix.length)
  const opened = openToPage(setup.provider.door, request)
  for (const [name, value] of Object.entries(opened)) response.setHeader(name, value)
  if (isPreflight(request)) {
    answerPreflight(request, response, opened)
    return
  }
  if (pathname.length <= prefix.length) {
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
  const admission = setup.provider.door.admitFiles({ operation, headers: request.headers })
  if (admission.refusal !== undefined) sendText(response, admission.refusal)
  else await pass(setup, { request, response, caller: admission.caller, operation, query: searchParams })
}

/** What is refused whoever asks. */
function refuseForm(request: IncomingMessage, operation: string): Refusal | undefined {
  if (request.method !== 'POST') return methodNotAllowed
  const inPath = /^cat\/(.+)$/.exec(operation)?.[1]
  if (inPath === undefined) return undefined
  const advice = `use /api/v0/cat?arg=${inPath} instead`
  return refuse(405, `/api/v0/cat/${inPath} is an undocumented behavior, ${advice}\n`)
}

/** A request that the door let in. */
interface AdmittedRequest {
  request: IncomingMessage
  response: ServerResponse
  caller: FileCaller
  operation: string
  query: URLSearchParams
}

/** Takes a request through the gate, and tells the gate how it ended. */
async function pass(setup: FileSetup, admitted: AdmittedRequest): Promise<void> {
  const { request, response, caller, operation, query } = admitted
  const started = performance.now()
  const passage = await setup.provider.files.enter(caller, operation, query)
  const limit = setup.provider.limitOf(caller.key, 'maxUpload') ?? setup.maxUpload
  const upload = new Upload(request, limit)
  const length = Number(request.headers['content-length'] ?? 0)
  let sent = 0
  if (passage.refusal !== undefined) sendText(response, passage.refusal)
  else if (limit !== undefined && length > limit) sendText(response, uploadTooLarge)
  else sent = await execute(setup, admitted, { upload, passage })
  passage.done({
    status: response.statusCode,
    uploaded: upload.length,
    downloaded: sent,
    milliseconds: performance.now() - started,
  })
}

/** @returns the bytes of the answer's body */
async function execute(
  setup: FileSetup,
  { request, response, operation, query }: AdmittedRequest,
  { upload, passage }: { upload: Upload; passage: FilePassage },
): Promise<number> {
  const counter = { bytes: 0 }
  const controller = new AbortController()
  response.once('close', () => controller.abort())
  try {
    const headers = singleHeaders(request)
    const reply = await setup.files.execute({
      operation,
      query,
      headers,
      body: upload,
      signal: controller.signal,
    })
    if (upload.tooLong) sendText(response, uploadTooLarge)
    else await sendStream(response, reply, { effects: passage.effects, counter })
  } catch (error) {
    if (response.destroyed) return counter.bytes
    if (!upload.tooLong && !(error instanceof CutError)) setup.report(error)
    if (response.headersSent) response.destroy()
    else sendText(response, upload.tooLong ? uploadTooLarge : refuse(500, 'internal server error\n'))
  }
  return counter.bytes
}

/** A request's body that stops when it has grown longer than one request may be. */
class Upload implements AsyncIterable<Uint8Array> {
  tooLong = false
  /** Bytes so far. */
  length = 0
  readonly #request: IncomingMessage
  readonly #limit: number

  constructor(request: IncomingMessage, limit = Infinity) {
    this.#request = request
    this.#limit = limit
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    for await (const chunk of this.#request.iterator({ destroyOnReturn: false })) {
      this.length += (chunk as Buffer).length
      if (this.length > this.#limit) {
        this.tooLong = true
        throw new Error('payload too large')
      }
      yield chunk as Buffer
    }
  }
}

/** Headers that let the page behind a request read the answer; a key's own origins are judged with the key. */
function openToPage(door: Door, request: IncomingMessage): Record<string, string> {
  const { origin } = request.headers
  if (origin === undefined) return {}
  const known = door.settings.mode !== 'open' || door.isOwnOrigin(origin)
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

function singleHeaders(request: IncomingMessage): Record<string, string> {
  const entries = Object.entries(request.headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : value,
  ])
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Record<string, string>
}
