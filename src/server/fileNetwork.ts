import type { IncomingMessage, ServerResponse } from 'node:http'
import type { CommandRequest, FileNetwork } from '../ipfs/index.js'
import type { Door } from '../provider/door/door.js'
import type { Refusal } from '../provider/door/refusal.js'
import { refuse, uploadTooLarge } from '../provider/door/refusal.js'
import { isPreflight } from './cors.js'
import { sendEmpty, sendText } from './reply.js'
import { sendStream } from './stream.js'

/** The file network as the server sees it. */
export type FileEndpoint = Pick<FileNetwork, 'execute'>

/** What the file network's requests are answered with. */
export interface FileSetup {
  door: Door
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
  const opened = openToPage(setup.door, request)
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
  const refusal = refuseFileRequest(setup, request, operation)
  if (refusal !== undefined) sendText(response, refusal)
  else await execute(setup, request, response, { operation, query: searchParams })
}

function refuseFileRequest(
  setup: FileSetup,
  request: IncomingMessage,
  operation: string,
): Refusal | undefined {
  if (request.method !== 'POST') return methodNotAllowed
  const inPath = /^cat\/(.+)$/.exec(operation)?.[1]
  if (inPath !== undefined) {
    const advice = `use /api/v0/cat?arg=${inPath} instead`
    return refuse(405, `/api/v0/cat/${inPath} is an undocumented behavior, ${advice}\n`)
  }
  const admission = setup.door.admitFiles({ operation, headers: request.headers })
  if (admission.refusal !== undefined) return admission.refusal
  const length = Number(request.headers['content-length'] ?? 0)
  return setup.maxUpload !== undefined && length > setup.maxUpload ? uploadTooLarge : undefined
}

async function execute(
  setup: FileSetup,
  request: IncomingMessage,
  response: ServerResponse,
  asked: Pick<CommandRequest, 'operation' | 'query'>,
): Promise<void> {
  const controller = new AbortController()
  response.once('close', () => controller.abort())
  const upload = new Upload(request, setup.maxUpload)
  try {
    const reply = await setup.files.execute({
      ...asked,
      headers: singleHeaders(request),
      body: upload,
      signal: controller.signal,
    })
    if (upload.tooLong) sendText(response, uploadTooLarge)
    else await sendStream(response, reply)
  } catch (error) {
    if (response.destroyed) return
    if (!upload.tooLong) setup.report(error)
    if (response.headersSent) response.destroy()
    else sendText(response, upload.tooLong ? uploadTooLarge : refuse(500, 'internal server error\n'))
  }
}

/** A request's body that stops when it has grown longer than one request may be. */
class Upload implements AsyncIterable<Uint8Array> {
  tooLong = false
  readonly #request: IncomingMessage
  readonly #limit: number

  constructor(request: IncomingMessage, limit = Infinity) {
    this.#request = request
    this.#limit = limit
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    let length = 0
    for await (const chunk of this.#request.iterator({ destroyOnReturn: false })) {
      length += (chunk as Buffer).length
      if (length > this.#limit) {
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
