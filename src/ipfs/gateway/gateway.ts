import { createHash } from 'node:crypto'
import type { CID } from 'multiformats/cid'
import { codecCode } from '../cid/cidFormat.js'
import { KeyNotFoundError, NoSegmentsError, resolvePath } from '../dag/path.js'
import { BlockNotFoundError, FileNetworkError, LinkNotFoundError, errorText } from '../errors.js'
import { formatName } from '../names/keystore.js'
import type { NetworkContext } from '../networkContext.js'
import type { CommandReply } from '../request/reply.js'
import type { BlockSource } from '../unixfs/entry.js'
import { InvalidRangeError, parseRanges } from './conditional.js'
import { GatewayError, contentDisposition, headerText, pathHeader } from './headers.js'
import { errorPage, escapeHtml } from './listingPage.js'
import {
  type ChosenFormat,
  type GatewayRequest,
  type GatewayTarget,
  type ResolvedTarget,
  chooseFormat,
  decodePath,
  readTarget,
} from './request.js'
import { serveContent } from './serveContent.js'
import { serveData } from './serveData.js'
import { serveVerifiable } from './serveVerifiable.js'

/** A read-only HTTP gateway to files (https://specs.ipfs.tech/http-gateways/). */
export interface Gateway {
  /** Answers a request; never rejects. A body of no bytes goes with HEAD. */
  handle(request: GatewayRequest): Promise<CommandReply>
}

/** Headers of every answer. Content here is anybody's: its type is what it is said to be. */
const commonHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET, HEAD, OPTIONS',
  'Access-Control-Allow-Headers': 'Content-Type, Range, User-Agent, X-Requested-With',
  'Access-Control-Expose-Headers':
    'Content-Length, Content-Range, X-Chunked-Output, X-Ipfs-Path, X-Ipfs-Roots, X-Stream-Output',
  'X-Content-Type-Options': 'nosniff',
  // What is sent for an address depends on it: a cache must not give a block to who wants the page.
  Vary: 'Accept',
}

const encoder = new TextEncoder()

/** What the gateway serves from. */
export type GatewaySource = Pick<NetworkContext, 'blockstore' | 'names' | 'configuration'>

/** A gateway to the files whose blocks are in a store. */
export function createGateway(source: GatewaySource): Gateway {
  return {
    async handle(request) {
      let path: Record<string, string> = {}
      try {
        checkMethod(request)
        if (request.method === 'OPTIONS')
          return finish(request, { status: 200, headers: {}, body: new Uint8Array() })
        const target = await readTarget(source.names, request)
        path = pathHeader(target)
        return finish(request, await answer(source, request, target))
      } catch (error) {
        return finish(request, refusal(request, error, path))
      }
    },
  }
}

function checkMethod({ method }: GatewayRequest): void {
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return
  throw new GatewayError(405, `Method ${method} not allowed: read only access`, {
    Allow: 'GET, HEAD, OPTIONS',
  })
}

async function answer(
  { blockstore: source, names, configuration }: GatewaySource,
  request: GatewayRequest,
  target: GatewayTarget,
): Promise<CommandReply> {
  if (target.form === 'path' && request.headers['service-worker'] === 'script') {
    throw new GatewayError(400, 'navigator.serviceWorker: registration is not allowed for this scope')
  }
  const chosen = chooseFormat(request.query, request.headers['accept'])
  const { format, parameters } = chosen
  if (format === 'ipns-record') return serveRecord(names, request, target)
  const isVerifiable = format === 'raw' || format === 'car' || format === 'tar'
  if (request.method === 'GET' && !isVerifiable) checkRange(request.headers['range'])
  const resolved = await resolveTarget(source, request, target)
  if (isVerifiable) {
    const reply = await serveVerifiable(source, request, { target: resolved, format, parameters })
    return withLocation(request, chosen, reply)
  }
  const { code } = resolved.cid
  const isFile = code === codecCode.dagPb || code === codecCode.raw
  if (isFile && format !== 'dag-json' && format !== 'dag-cbor') {
    return withLocation(request, chosen, await serveContent(source, request, resolved))
  }
  const asked = format === 'content' ? undefined : format
  const mayConvert = configuration.get('Gateway.AllowCodecConversion') === true
  const reply = await serveData(source, request, { target: resolved, format: asked, mayConvert })
  return withLocation(request, chosen, reply)
}

/** Where the same is found by its address alone, for what an `Accept` header asked for (boxo, `addContentLocation`). */
function withLocation(
  request: GatewayRequest,
  { format, parameters }: ChosenFormat,
  reply: CommandReply,
): CommandReply {
  if (format === 'content' || request.query.get('format') === format || reply.status === 304) return reply
  const query = new URLSearchParams(request.query)
  query.set('format', format)
  for (const [name, value] of parameters) {
    if (!query.has(`${format}-${name}`)) query.set(`${format}-${name}`, value)
  }
  query.sort()
  const location = headerText(`${decodePath(request.path)}?${query}`)
  return { ...reply, headers: { ...reply.headers, 'Content-Location': location } }
}

/** Answers with the signed record of a name (https://specs.ipfs.tech/http-gateways/trustless-gateway/). */
async function serveRecord(
  names: GatewaySource['names'],
  request: GatewayRequest,
  target: GatewayTarget,
): Promise<CommandReply> {
  const { name } = target
  if (name === undefined) {
    throw new GatewayError(400, `${target.contentPath} is not an IPNS link`)
  }
  const { record, ttlMilliseconds } = await names.find(name)
  const text = formatName(name)
  return {
    status: 200,
    headers: {
      ...pathHeader(target),
      ETag: JSON.stringify(createHash('sha256').update(record).digest('hex').slice(0, 16)),
      'Cache-Control': `public, max-age=${Math.floor(ttlMilliseconds / 1000)}`,
      'Content-Type': 'application/vnd.ipfs.ipns-record',
      'Content-Disposition': contentDisposition(request.query, {
        name: `${text}.ipns-record`,
        kind: 'attachment',
      }),
    },
    body: record,
  }
}

/**
 * Refuses a `Range` header that makes no sense before anything is looked up, whatever is asked for (boxo,
 * `gateway/handler_defaults.go`).
 */
function checkRange(header: string | undefined): void {
  try {
    if (header !== undefined) parseRanges(header)
  } catch (error) {
    if (error instanceof InvalidRangeError) {
      throw new GatewayError(400, `invalid range request: ${error.message}`)
    }
    throw error
  }
}

async function resolveTarget(
  source: BlockSource,
  request: GatewayRequest,
  target: GatewayTarget,
): Promise<ResolvedTarget> {
  const visited: CID[] = []
  const recording: BlockSource = {
    async get(cid) {
      visited.push(cid)
      return source.get(cid)
    },
  }
  try {
    const { cid, cids, remainder } = await resolvePath(recording, target.content).catch((error: unknown) => {
      // A path that goes on behind a file has no link there.
      if (error instanceof NoSegmentsError && error.at !== undefined)
        throw new LinkNotFoundError(error.at.key, error.at.cid)
      throw error
    })
    if (remainder.length > 0) throw unreadable(target, cid, remainder)
    await source.get(cid)
    return { ...target, cid, roots: cids, visited }
  } catch (error) {
    const onlyIfCached = /(^|,)\s*only-if-cached\s*(,|$)/.test(request.headers['cache-control'] ?? '')
    if (onlyIfCached && error instanceof FileNetworkError) {
      throw new GatewayError(412, `${JSON.stringify(target.contentPath)} not in local datastore`)
    }
    if (error instanceof BlockNotFoundError) {
      const phase = ': retrieval: no providers found for the CID (phase: path resolution)'
      throw new GatewayError(404, `failed to resolve ${target.contentPath}: ${errorText(error)}${phase}`)
    }
    if (error instanceof LinkNotFoundError || error instanceof KeyNotFoundError) {
      throw new GatewayError(404, `failed to resolve ${target.contentPath}: ${errorText(error)}`)
    }
    throw error
  }
}

/** A path leads into the data of a block, to what is no link. */
function unreadable(target: GatewayTarget, cid: CID, remainder: string[]): GatewayError {
  const rest = `/${remainder.join('/')}`
  const block = `/${target.content.namespace}/${cid}`
  return new GatewayError(
    501,
    `${JSON.stringify(rest)} of ${JSON.stringify(block + rest)} could not be returned: reading IPLD Kinds other than ` +
      `Links (CBOR Tag 42) is not implemented: try reading ${JSON.stringify(block)} instead`,
  )
}

function refusal(request: GatewayRequest, error: unknown, path: Record<string, string>): CommandReply {
  const status = error instanceof GatewayError ? error.status : 500
  const own = error instanceof GatewayError ? error.headers : {}
  const isPathKept = status !== 412 && status !== 405
  const headers = { ...(isPathKept && path), ...own }
  const text = errorText(error)
  if (own['Location'] !== undefined) {
    const reason = status === 307 ? 'Temporary Redirect' : 'Moved Permanently'
    const body = `<a href="${escapeHtml(own['Location'])}">${reason}</a>.\n\n`
    return {
      status,
      headers: { 'Content-Type': 'text/html; charset=utf-8', ...headers },
      body: encoder.encode(body),
    }
  }
  if (/text\/html/.test(request.headers['accept'] ?? '')) {
    const page = errorPage(status, text)
    return { status, headers: { ...headers, 'Content-Type': 'text/html' }, body: encoder.encode(page) }
  }
  return {
    status,
    headers: { 'Content-Type': 'text/plain; charset=utf-8', ...headers },
    body: encoder.encode(`${text}\n`),
  }
}

function finish(request: GatewayRequest, reply: CommandReply): CommandReply {
  const isPath = !/\.ip[fn]s\./i.test(request.headers['host'] ?? '')
  const headers: Record<string, string> = {
    ...commonHeaders,
    ...(isPath ? { 'Content-Security-Policy': 'sandbox' } : {}),
    ...reply.headers,
  }
  const hasContent = reply.status !== 204 && reply.status !== 304
  if (reply.body instanceof Uint8Array && hasContent) {
    headers['Content-Length'] ??= String(reply.body.length)
  }
  return request.method === 'HEAD'
    ? { status: reply.status, headers, body: new Uint8Array() }
    : { ...reply, headers }
}
