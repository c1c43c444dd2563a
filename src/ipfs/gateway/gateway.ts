import { xxhash64 } from 'hash-wasm'
import { STATUS_CODES } from 'node:http'
import { codecCode } from '../cid/cidFormat.js'
import { parseCid } from '../cid/parseCid.js'
import { codecText } from '../dag/codecs.js'
import { cleanSegments } from '../mfs/filesPath.js'
import { DagPbError } from '../dag/dagPb.js'
import { resolvePath } from '../dag/path.js'
import { errorText } from '../../encoding/errorText.js'
import { FileNetworkError } from '../errors.js'
import { formatName, parseName } from '../names/keystore.js'
import type { NetworkContext } from '../networkContext.js'
import { type CommandReply, headerText } from '../request/reply.js'
import { BlockMemory } from '../store/blockstore.js'
import type { BlockSource } from '../unixfs/entry.js'
import { etagsOf, matchesEtag } from './conditional.js'
import { type RoutingRequest, answerRouting } from './delegatedRouting.js'
import { checkRange } from './ranges.js'
import { type RuleOutcome, followRules } from './followRules.js'
import {
  GatewayError,
  PageNotFoundError,
  UncleanPathError,
  contentDisposition,
  notModified,
  openHeaders,
  pathHeader,
} from './headers.js'
import { errorPage, escapeHtml } from './listingPage.js'
import {
  type ChosenFormat,
  type GatewayFormat,
  type GatewayRequest,
  type GatewayTarget,
  askedPath,
  chooseFormat,
  cleanUrlPath,
  decodePath,
  readTarget,
  redirectAddress,
} from './request.js'
import { checkReadable, followPath, noProviders, resolveTarget } from './resolveTarget.js'
import { serveCar } from './serveCar.js'
import { serveContent } from './serveContent.js'
import { serveData } from './serveData.js'
import { serveRawOrTar } from './serveRawOrTar.js'
import { bytesOfText } from '../../encoding/byteText.js'
import { goEscape, goQuote } from '../text/goQuote.js'

/** A read-only HTTP gateway (https://specs.ipfs.tech/http-gateways/). */
export interface Gateway {
  /** Answers a request; never rejects. The body for HEAD is empty. */
  handle(request: GatewayRequest): Promise<CommandReply>
  /** Answers a request to the delegated routing API. */
  route(request: RoutingRequest): Promise<CommandReply>
}

/** Headers of every answer. Anyone can publish content here, so `nosniff` pins its declared type. */
const commonHeaders = {
  'X-Content-Type-Options': 'nosniff',
  // The answer depends on `Accept`: a cache must not serve a raw block to someone who wants the page.
  Vary: 'Accept',
}

const encoder = new TextEncoder()

/** What the gateway serves from. */
export type GatewaySource = Pick<NetworkContext, 'blockstore' | 'names' | 'configuration'>

/** Creates a gateway to the blocks in a store. */
export function createGateway(network: GatewaySource): Gateway {
  return {
    route: (request) => answerRouting(network.names, request),
    async handle(request) {
      const { signal } = request
      const memory = new BlockMemory(signal)
      const source = { ...network, blockstore: network.blockstore.countedIn(memory) }
      const reply = await answerSafely(source, request)
      // A client that leaves may never take the body.
      if (reply.body instanceof Uint8Array || signal.aborted) memory.end()
      else signal.addEventListener('abort', () => memory.end())
      return reply.body instanceof Uint8Array ? reply : { ...reply, body: thenEnd(reply.body, memory) }
    },
  }
}

/** Yields the pieces of a body, and releases memory at its end. */
async function* thenEnd(body: AsyncIterable<Uint8Array>, memory: BlockMemory): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } finally {
    memory.end()
  }
}

/** Answers a request; never rejects. */
async function answerSafely(source: GatewaySource, request: GatewayRequest): Promise<CommandReply> {
  /** Headers that even an error keeps (boxo, `gateway/handler.go`). */
  const kept: Record<string, string> = {}
  try {
    redirectAddress(request)
    checkMethod(request)
    if (request.method === 'OPTIONS') {
      return finish(request, { status: 200, headers: {}, body: new Uint8Array() })
    }
    const chosen = chooseFormat(request.query, request.headers['accept'])
    const target = await readTarget(source.names, request).catch((error: unknown) => {
      // An unknown name only fails once the answer has begun.
      if (error instanceof GatewayError && error.status === 500) {
        if (mustBeCached(request)) throw notCached(request)
        if (chosen.problem !== undefined) throw chosen.problem
        Object.assign(kept, locationHeader(request, chosen))
        if (chosen.format === 'ipns-record') throw withoutRecord(request, error)
      }
      throw error
    })
    if (mustBeCached(request)) {
      if (!(await isCached(source.blockstore, target))) throw notCached(request)
      if (request.method === 'HEAD') return finish(request, withoutContent(200))
    }
    if (chosen.problem !== undefined) throw chosen.problem
    Object.assign(kept, pathHeader(target), locationHeader(request, chosen))
    const reply = await answer(source, request, { target, chosen }).catch((error: unknown) => {
      throw error instanceof FileNetworkError ? unserved(target, error) : error
    })
    return finish(request, { ...reply, headers: { ...kept, ...reply.headers } })
  } catch (error) {
    return finish(request, refusal(request, error, kept), {
      isOpen: !(error instanceof UncleanPathError),
    })
  }
}

/** Wraps an error for content that exists but cannot be served. */
function unserved({ contentPath }: GatewayTarget, error: FileNetworkError): GatewayError {
  // An unreadable block might be available from other peers.
  const suffix = error instanceof DagPbError ? noProviders : ''
  return new GatewayError(
    500,
    `failed to resolve ${goEscape(contentPath, { ascii: true })}: ${errorText(error)}${suffix}`,
  )
}

function checkMethod({ method }: GatewayRequest): void {
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return
  throw new GatewayError(405, `Method ${method} not allowed: read only access`, {
    Allow: 'GET, HEAD, OPTIONS',
  })
}

/** Whether the block needed to serve a target is stored. */
async function isCached(source: BlockSource, { content }: GatewayTarget): Promise<boolean> {
  try {
    await source.get((await resolvePath(source, content)).cid)
    return true
  } catch (error) {
    if (error instanceof FileNetworkError) return false
    throw error
  }
}

/** Explains why there is no record of an unknown name: only keys have one, and this one has published nothing. */
function withoutRecord(request: GatewayRequest, unresolved: GatewayError): GatewayError {
  const path = askedPath(request)
  const [, label = '', ...below] = cleanSegments(path)
  if (below.length > 0) return belowName(cleanUrlPath(path))
  const { headers } = unresolved
  // Kubo searches the routing system.
  if (parseName(label) !== undefined) return new GatewayError(500, 'routing: not found', headers)
  try {
    const codec = codecText(parseCid(label).code)
    return new GatewayError(
      400,
      `CID codec "${codec}" is not allowed for IPNS Names, use  "libp2p-key" instead`,
      headers,
    )
  } catch (error) {
    return new GatewayError(400, errorText(error), headers)
  }
}

function belowName(path: string): GatewayError {
  return new GatewayError(400, 'cannot find ipns key for subpath', pathHeader({ contentPath: path }))
}

function mustBeCached({ headers }: GatewayRequest): boolean {
  return headers['cache-control'] === 'only-if-cached'
}

function notCached(request: GatewayRequest): GatewayError {
  const path = cleanUrlPath(askedPath(request))
  return new GatewayError(412, `${goQuote(path)} not in local datastore`)
}

/** An answer to HEAD that only tells whether the content is stored. */
function withoutContent(status: number): CommandReply {
  return { status, headers: {}, body: new Uint8Array() }
}

/** Answers a request. Checks run in boxo's order (`gateway/handler.go`). */
async function answer(
  { blockstore: source, names, configuration }: GatewaySource,
  request: GatewayRequest,
  { target: asked, chosen }: { target: GatewayTarget; chosen: ChosenFormat },
): Promise<CommandReply> {
  const { format } = chosen
  if (format === 'ipns-record') return serveRecord(names, request, asked)
  if (format === 'car') return serveCar(source, request, { target: asked, parameters: chosen.parameters })
  const outcome = await applyRules(source, request, { target: asked, format })
  if ('reply' in outcome) return outcome.reply
  const { target } = outcome
  let { path } = outcome
  const { 'if-none-match': etags, 'if-modified-since': since } = request.headers
  // This does not read the block itself: a client that knows its ETag has it.
  if (etags || since) path ??= await followPath(source, target)
  if (etags && path && matchesEtag(etags, ...etagsOf(path.cid, format))) return notModified()
  if (format === 'unknown') throw new GatewayError(400, 'unsupported response format requested')
  if (request.method === 'GET' && (format === 'content' || format === 'json' || format === 'cbor')) {
    checkRange(request.headers['range'])
  }
  const isVerifiable = format === 'raw' || format === 'tar'
  const resolved = await resolveTarget(source, target, { sends: isVerifiable ? 'blocks' : 'data', path })
  if (isVerifiable) {
    return serveRawOrTar(source, request, { target: resolved, format })
  }
  const { code } = resolved.cid
  if (format !== 'dag-json' && format !== 'dag-cbor') await checkReadable(source, target, resolved.cid)
  const isFile = code === codecCode.dagPb || code === codecCode.raw
  if (isFile && format !== 'dag-json' && format !== 'dag-cbor') {
    return serveContent(source, request, resolved)
  }
  return serveData(source, request, {
    target: resolved,
    format: format === 'content' ? undefined : format,
    mayConvert: allowsConversion(configuration),
  })
}

/** Applies a site's rules if it has a host of its own and the content itself is requested. */
async function applyRules(
  source: BlockSource,
  request: GatewayRequest,
  { target, format }: { target: GatewayTarget; format: GatewayFormat },
): Promise<RuleOutcome> {
  return target.form === 'subdomain' && format === 'content'
    ? followRules(source, request, target)
    : { target }
}

function allowsConversion(configuration: GatewaySource['configuration']): boolean {
  const section = configuration.show()['Gateway'] as { AllowCodecConversion?: unknown } | null | undefined
  return section?.AllowCodecConversion === true
}

/** Returns the `Content-Location` that selects by URL what `Accept` selected (boxo, `addContentLocation`). */
function locationHeader(
  request: GatewayRequest,
  { format, parameters }: ChosenFormat,
): Record<string, string> {
  if (format === 'content' || request.query.get('format') === format) return {}
  const query = new URLSearchParams([...request.query])
  const name = format === 'unknown' ? '' : format
  query.set('format', name)
  // Looked up here: a query searches all its names for each, of which there may be thousands.
  const given = new Set(query.keys())
  for (const [parameter, value] of parameters) {
    if (!given.has(`${name}-${parameter}`)) query.append(`${name}-${parameter}`, value)
  }
  query.sort()
  return {
    'Content-Location': headerText(`${decodePath(request.path)}?${String(query).replaceAll('*', '%2A')}`),
  }
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
  if (cleanSegments(target.contentPath).length > 2) throw belowName(target.contentPath)
  const { record, ttlMilliseconds } = await names.find(name)
  const text = formatName(name)
  // Unquoted, as in boxo (`gateway/handler_ipns_record.go`), so no client's ETag list can match it.
  const etag = BigInt(`0x${await xxhash64(record)}`).toString(32)
  if (matchesEtag(request.headers['if-none-match'], etag)) {
    return { status: 304, headers: { ETag: etag }, body: new Uint8Array() }
  }
  return {
    status: 200,
    headers: {
      ETag: etag,
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

function refusal(request: GatewayRequest, error: unknown, kept: Record<string, string>): CommandReply {
  const status = error instanceof GatewayError ? error.status : 500
  const own = error instanceof GatewayError ? error.headers : {}
  const headers = { ...kept, ...own }
  const text = errorText(error)
  if (status === 412 && request.method === 'HEAD') return withoutContent(status)
  if (own['Location'] !== undefined) {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return { status, headers, body: new Uint8Array() }
    const reason = STATUS_CODES[status]
    const body = `<a href="${escapeHtml(own['Location'])}">${reason}</a>.\n\n`
    return {
      status,
      headers: { 'Content-Type': 'text/html; charset=utf-8', ...headers },
      // Go writes the body of a redirect for GET alone, and measures what it writes.
      body: request.method === 'GET' ? bytesOfText(body) : new Uint8Array(),
    }
  }
  const isPlain = [405, 412, 416].includes(status) || error instanceof PageNotFoundError
  if (!isPlain && /text\/html/.test(request.headers['accept'] ?? '')) {
    const page = errorPage(status, text)
    return { status, headers: { ...headers, 'Content-Type': 'text/html' }, body: encoder.encode(page) }
  }
  return {
    status,
    headers: { 'Content-Type': 'text/plain; charset=utf-8', ...headers },
    body: bytesOfText(`${text}\n`),
  }
}

function finish(request: GatewayRequest, reply: CommandReply, { isOpen } = { isOpen: true }): CommandReply {
  const isPath = !/\.ip[fn]s\./i.test(request.headers['host'] ?? '')
  const headers: Record<string, string> = {
    ...(isOpen ? openHeaders : {}),
    ...commonHeaders,
    ...(isPath ? { 'Content-Security-Policy': 'sandbox' } : {}),
    ...reply.headers,
  }
  const hasContent = reply.status !== 204 && reply.status !== 304
  const isAnswered = request.method !== 'HEAD' || (reply.body instanceof Uint8Array && reply.body.length > 0)
  if (reply.body instanceof Uint8Array && hasContent && isAnswered) {
    headers['Content-Length'] ??= String(reply.body.length)
  }
  return request.method === 'HEAD'
    ? { status: reply.status, headers, body: new Uint8Array() }
    : { ...reply, headers }
}
