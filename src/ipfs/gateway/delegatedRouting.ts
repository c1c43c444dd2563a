import { xxhash64 } from 'hash-wasm'
import type { CID } from 'multiformats/cid'
import { codecCode } from '../cid/cidFormat.js'
import { parseCid } from '../cid/parseCid.js'
import { codecText } from '../dag/codecs.js'
import { errorText } from '../../encoding/errorText.js'
import { formatName, readPeerId } from '../names/keystore.js'
import {
  type NameSystem,
  type ResolvedName,
  UnresolvedNameError,
  MAX_RECORD_LENGTH,
  checkRecord,
  readRecord,
} from '../names/nameSystem.js'
import { parseMediaType } from '../request/multipart.js'
import type { CommandReply } from '../request/reply.js'
import { bytesOfText } from '../../encoding/byteText.js'
import { goQuote } from '../text/goQuote.js'
import { GatewayError, PageNotFoundError, openHeaders } from './headers.js'
import { type GatewayRequest, decodePath } from './request.js'

/** A request to the delegated routing API. */
export interface RoutingRequest extends Pick<GatewayRequest, 'method' | 'path' | 'headers' | 'signal'> {
  body?: AsyncIterable<Uint8Array> | undefined
}

const recordType = 'application/vnd.ipfs.ipns-record'
/** Seconds for which an answer without results may be cached. */
const EMPTY_MAX_AGE = 15
/** Seconds for which an outdated answer may be served while its cache asks again. */
const MAX_STALE = 48 * 60 * 60
/** TTL of a record that has none, in seconds (boxo, `ipns.DefaultRecordTTL`). */
const DEFAULT_TTL = 5 * 60

/** Answers are never streamed. */
type RoutingReply = CommandReply & { body: Uint8Array }

type Endpoint = (names: NameSystem, label: string, request: RoutingRequest) => Promise<RoutingReply>

/** Endpoints by the path before their last segment, and by method (boxo, `routing/http/server`). */
const endpoints: Readonly<Record<string, Readonly<Record<string, Endpoint>>>> = {
  '/routing/v1/providers': { GET: findProviders },
  '/routing/v1/peers': { GET: findPeers },
  '/routing/v1/ipns': { GET: getRecord, PUT: putRecord },
  '/routing/v1/dht/closest/peers': { GET: findClosestPeers },
}

/**
 * Answers a request to the delegated routing API (https://specs.ipfs.tech/routing/http-routing-v1/), which gets and
 * stores IPNS records. There are no peers, so providers and addresses are never found.
 */
export async function answerRouting(names: NameSystem, request: RoutingRequest): Promise<CommandReply> {
  const path = decodePath(request.path)
  const [, parent = '', label = ''] = /^(.*)\/([^/]+)$/s.exec(path) ?? []
  const methods = endpoints[parent]
  const endpoint = methods?.[request.method]
  try {
    // Providers announced themselves here (https://specs.ipfs.tech/ipips/ipip-0526/), which needs peers.
    if (path === '/routing/v1/providers/') return opened(emptyReply(405))
    if (methods === undefined) throw new PageNotFoundError()
    return opened(endpoint === undefined ? emptyReply(405) : await endpoint(names, label, request))
  } catch (error) {
    if (error instanceof PageNotFoundError) return opened(plainReply(404, `${error.message}\n`, noSniff))
    if (!(error instanceof GatewayError)) throw error
    // Unlike Go's `http.Error`, boxo writes no line end here.
    return opened(plainReply(error.status, error.message))
  }
}

const noSniff = { 'X-Content-Type-Options': 'nosniff' }

function emptyReply(status: number): RoutingReply {
  return { status, headers: {}, body: new Uint8Array() }
}

function plainReply(status: number, text: string, headers?: Record<string, string>): RoutingReply {
  const body = bytesOfText(text)
  return { status, headers: { 'Content-Type': 'text/plain; charset=utf-8', ...headers }, body }
}

/** Completes an answer, which pages of other origins may read. */
function opened({ status, headers, body }: RoutingReply): CommandReply {
  return { status, headers: { ...openHeaders, 'Content-Length': String(body.length), ...headers }, body }
}

async function findProviders(_: NameSystem, label: string, request: RoutingRequest): Promise<RoutingReply> {
  readCid(label)
  return noResults('Providers', request)
}

async function findPeers(_: NameSystem, label: string, request: RoutingRequest): Promise<RoutingReply> {
  const problem = problemOfPeer(label)
  if (problem !== undefined) {
    throw new GatewayError(400, `unable to parse PeerID ${goQuote(label)}: ${problem.ofPeer}`)
  }
  return noResults('Peers', request)
}

async function findClosestPeers(
  _: NameSystem,
  label: string,
  request: RoutingRequest,
): Promise<RoutingReply> {
  const problem = problemOfPeer(label)
  if (problem !== undefined) {
    const details = `unable to parse as CID or PeerID: ${problem.ofCid}\n${problem.ofPeer}`
    throw new GatewayError(400, `unable to parse key ${goQuote(label)}: ${details}`)
  }
  checkAccept(request)
  throw new GatewayError(500, 'delegate error: GetClosestPeers not supported: DHT is not available')
}

/** Returns why a label is neither a peer ID nor a CID, whose hash may be that of a peer; undefined if it is one. */
function problemOfPeer(label: string): { ofPeer: string; ofCid: string } | undefined {
  const ofPeer = problemOf(() => readPeerId(label))
  const ofCid = problemOf(() => parseCid(label))
  return ofPeer === undefined || ofCid === undefined ? undefined : { ofPeer, ofCid }
}

function problemOf(read: () => CID): string | undefined {
  try {
    read()
    return undefined
  } catch (error) {
    return errorText(error)
  }
}

async function getRecord(names: NameSystem, label: string, request: RoutingRequest): Promise<RoutingReply> {
  const accept = request.headers['accept'] ?? ''
  if (accept !== '' && !accept.includes('*/*') && !accept.includes(recordType)) {
    throw new GatewayError(
      406,
      `content type in 'Accept' header is not supported, retry with '${recordType}'`,
    )
  }
  const name = readName(label)
  try {
    return await recordReply(name, await names.find(name))
  } catch (error) {
    if (!(error instanceof UnresolvedNameError)) throw error
    const headers = { 'Cache-Control': cacheControl(EMPTY_MAX_AGE, MAX_STALE), ...noSniff }
    return plainReply(200, 'delegate error: routing: not found\n', headers)
  }
}

async function recordReply(name: CID, { record }: ResolvedName): Promise<RoutingReply> {
  const { validity, ttl } = await readRecord(record)
  const now = Date.now()
  const maxAge = ttl === undefined ? DEFAULT_TTL : Number(ttl / 1_000_000_000n)
  return {
    status: 200,
    headers: {
      'Cache-Control': cacheControl(maxAge, Math.trunc((Date.parse(validity) - now) / 1000)),
      'Content-Disposition': `attachment; filename="${formatName(name)}.ipns-record"`,
      'Content-Type': recordType,
      Etag: `"${(await xxhash64(record)).replace(/^0+/, '')}"`,
      Expires: new Date(validity).toUTCString(),
      'Last-Modified': new Date(now).toUTCString(),
      Vary: 'Accept',
    },
    body: record,
  }
}

async function putRecord(names: NameSystem, label: string, request: RoutingRequest): Promise<RoutingReply> {
  if (!request.headers['content-type']?.includes(recordType)) {
    throw new GatewayError(406, "content type in 'Content-Type' header is missing or not supported")
  }
  const name = readName(label)
  const record = await readStart(request.body, MAX_RECORD_LENGTH)
  const problem = await readRecord(record).then(
    () => checkRecord(name, record),
    (error: unknown) => errorText(error),
  )
  if (problem !== '') throw new GatewayError(400, `provided record is invalid: ${problem}`)
  await names.put(name, record)
  return emptyReply(200)
}

/** Returns at most the first `limit` bytes of a body. */
async function readStart(body: RoutingRequest['body'], limit: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of body ?? []) {
    parts.push(part)
    length += part.length
    if (length >= limit) break
  }
  return new Uint8Array(Buffer.concat(parts).subarray(0, limit))
}

function readName(label: string): CID {
  const cid = readCid(label)
  if (cid.code === codecCode.libp2pKey) return cid
  throw new GatewayError(
    400,
    `peer ID CID is not valid: CID codec ${goQuote(codecText(cid.code))} is not allowed for IPNS Names, ` +
      'use  "libp2p-key" instead',
  )
}

function readCid(label: string): CID {
  try {
    return parseCid(label)
  } catch (error) {
    throw new GatewayError(400, `unable to parse CID: ${errorText(error)}`)
  }
}

/** Answers that nothing was found: an empty list, or an empty stream. */
function noResults(member: 'Providers' | 'Peers', request: RoutingRequest): RoutingReply {
  const type = checkAccept(request)
  return {
    status: 200,
    headers: {
      'Cache-Control': cacheControl(EMPTY_MAX_AGE, MAX_STALE),
      'Content-Type': type,
      'Last-Modified': new Date().toUTCString(),
      Vary: 'Accept',
    },
    body: bytesOfText(type === 'application/json' ? `{"${member}":[]}` : ''),
  }
}

/** Returns the type of an answer for the `Accept` header. */
function checkAccept({ headers }: RoutingRequest): 'application/json' | 'application/x-ndjson' {
  const types = (headers['accept'] ?? '*/*').split(',').map(typeOf)
  if (types.includes('application/x-ndjson')) return 'application/x-ndjson'
  if (types.includes('application/json') || types.includes('*/*')) return 'application/json'
  throw new GatewayError(400, 'no supported content types')
}

function typeOf(accepted: string): string {
  try {
    return parseMediaType(accepted).value
  } catch (error) {
    throw new GatewayError(400, `unable to parse Accept header: ${errorText(error)}`)
  }
}

function cacheControl(maxAge: number, stale: number): string {
  return `public, max-age=${maxAge}, stale-while-revalidate=${stale}, stale-if-error=${stale}`
}
