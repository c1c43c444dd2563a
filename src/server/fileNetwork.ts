import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Door } from '../provider/door/door.js'
import type { Refusal } from '../provider/door/refusal.js'
import { refuse } from '../provider/door/refusal.js'
import { isPreflight } from './cors.js'
import type { FileSetup } from './fileExchange.js'
import { exchange } from './fileExchange.js'
import { sendEmpty, sendText } from './reply.js'

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
  const opened = openToPage(setup.provider.door, request)
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
  const admission = setup.provider.door.admitFiles({ operation, headers: request.headers })
  if (admission.refusal !== undefined) sendText(response, admission.refusal)
  else {
    const { caller } = admission
    await exchange(setup, { request, response, caller, operation, query: searchParams }, (asked) =>
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
