import type { CID } from 'multiformats/cid'
import { codecCode } from '../cid/cidFormat.js'
import { resolvePath } from '../dag/path.js'
import { BlockNotFoundError, LinkNotFoundError, errorText } from '../errors.js'
import type { CommandReply } from '../request/reply.js'
import type { BlockSource } from '../unixfs/entry.js'
import { InvalidRangeError, parseRanges } from './conditional.js'
import { GatewayError } from './headers.js'
import {
  type GatewayRequest,
  type GatewayTarget,
  type ResolvedTarget,
  chooseFormat,
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

/** Headers of every answer. Content here is anybody's: where it shares its origin, it runs nothing. */
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

/** A gateway to the files whose blocks are in a store. */
export function createGateway(source: BlockSource): Gateway {
  return {
    async handle(request) {
      try {
        return finish(request, await answer(source, request))
      } catch (error) {
        return finish(request, refusal(error))
      }
    },
  }
}

async function answer(source: BlockSource, request: GatewayRequest): Promise<CommandReply> {
  if (request.method === 'OPTIONS') return { status: 204, headers: {}, body: new Uint8Array() }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    throw new GatewayError(405, `method ${request.method} not allowed: read only access`, {
      Allow: 'GET, HEAD, OPTIONS',
    })
  }
  const target = readTarget(request)
  if (target.form === 'path' && request.headers['service-worker'] === 'script') {
    throw new GatewayError(400, 'navigator.serviceWorker: registration is not allowed for this scope')
  }
  const { format, parameters } = chooseFormat(request.query, request.headers['accept'])
  const isVerifiable = format === 'raw' || format === 'car' || format === 'tar'
  if (request.method === 'GET' && !isVerifiable) checkRange(request.headers['range'])
  const resolved = await resolveTarget(source, request, target)
  if (isVerifiable) return serveVerifiable(source, request, { target: resolved, format, parameters })
  const { code } = resolved.cid
  const isFile = code === codecCode.dagPb || code === codecCode.raw
  if (isFile && format !== 'dag-json' && format !== 'dag-cbor') return serveContent(source, request, resolved)
  const asked = format === 'content' ? undefined : format
  return serveData(source, request, { target: resolved, format: asked })
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
    const { cid, cids, remainder } = await resolvePath(recording, target.content)
    if (remainder.length > 0) {
      throw new GatewayError(501, `cannot show ${target.contentPath}: it leads into the data of ${cid}`)
    }
    await source.get(cid)
    return { ...target, cid, roots: cids, visited }
  } catch (error) {
    const onlyIfCached = /(^|,)\s*only-if-cached\s*(,|$)/.test(request.headers['cache-control'] ?? '')
    if (error instanceof BlockNotFoundError) {
      throw new GatewayError(
        onlyIfCached ? 412 : 404,
        `failed to resolve ${target.contentPath}: ${errorText(error)}`,
      )
    }
    if (error instanceof LinkNotFoundError) {
      throw new GatewayError(404, `failed to resolve ${target.contentPath}: ${errorText(error)}`)
    }
    throw error
  }
}

function refusal(error: unknown): CommandReply {
  const status = error instanceof GatewayError ? error.status : 500
  const headers = error instanceof GatewayError ? error.headers : {}
  return {
    status,
    headers: { 'Content-Type': 'text/plain; charset=utf-8', ...headers },
    body: encoder.encode(`${errorText(error)}\n`),
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
