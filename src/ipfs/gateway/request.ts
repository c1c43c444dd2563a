import { base32 } from 'multiformats/bases/base32'
import { base36 } from 'multiformats/bases/base36'
import type { CID } from 'multiformats/cid'
import { parseCid } from '../cid/parseCid.js'
import { type ContentPath, parsePath } from '../dag/path.js'
import { errorText } from '../errors.js'
import { cleanSegments } from '../mfs/filesPath.js'
import { formatName, parseName } from '../names/keystore.js'
import { type NameSystem, readName } from '../names/nameSystem.js'
import { GatewayError, headerText } from './headers.js'

/** A request to the gateway, free of any transport. */
export interface GatewayRequest {
  method: string
  /** The path of the URL as it came, percent-encoded. */
  path: string
  query: URLSearchParams
  /** By lower-case name; `host` decides between path and subdomain. */
  headers: Readonly<Record<string, string | undefined>>
  signal: AbortSignal
}

/** What a request to the gateway asks for. */
export interface GatewayTarget {
  /** How it was asked: `/ipfs/<cid>/…`, or the CID in the host name. */
  form: 'path' | 'subdomain'
  content: ContentPath
  /** The path as it is named in texts and pages: `/ipfs/<cid>/…`, decoded and cleaned. */
  contentPath: string
  /** The same as it was asked for. */
  shownPath: string
  /** The name that the path begins with, where it is one of IPNS. */
  name?: CID
  /** Milliseconds for which what the name stands for may be kept. */
  ttlMilliseconds?: number
  hasTrailingSlash: boolean
}

/** What a target turned out to be. */
export interface ResolvedTarget extends GatewayTarget {
  cid: CID
  /** The CIDs of the path's segments, root first, the last being `cid`. */
  roots: CID[]
  /** The blocks that following the path took. */
  visited: CID[]
}

const subdomainPattern = /^([^.]+)\.(ipfs|ipns)\.(.+)$/i
/** The longest label of a host name (RFC 1035). */
const longestLabel = 63

/**
 * Reads what a request asks for.
 *
 * @throws {@link GatewayError}, also one that redirects to the CID's form for host names
 */
export async function readTarget(names: NameSystem, request: GatewayRequest): Promise<GatewayTarget> {
  const path = decodePath(request.path)
  const host = request.headers['host'] ?? ''
  const subdomain = subdomainPattern.exec(host)
  const hasTrailingSlash = path.endsWith('/')
  if (subdomain === null) {
    redirectUri(path, request.query)
    redirectDoubleSlashes(path, request)
    redirectToSubdomain(path, request)
    const parsed = await parseContent(names, path)
    return { ...parsed, form: 'path', contentPath: cleaned(path), shownPath: path, hasTrailingSlash }
  }
  const [, label = '', namespace = '', domain = ''] = subdomain
  const query = request.query.size > 0 ? `?${request.query}` : ''
  const root =
    namespace.toLowerCase() === 'ipns'
      ? label
      : readLabel({ label, domain, rest: request.path + query }).toString()
  const shownPath = `/${namespace.toLowerCase()}/${root}${path}`
  const parsed = await parseContent(names, shownPath)
  return { ...parsed, form: 'subdomain', contentPath: cleaned(shownPath), shownPath, hasTrailingSlash }
}

function cleaned(path: string): string {
  const end = path.endsWith('/') ? '/' : ''
  return `/${cleanSegments(path).join('/')}${end}`
}

/** Sends a path with empty segments to the one without (Go, `http.ServeMux`). */
function redirectDoubleSlashes(path: string, { query }: GatewayRequest): void {
  if (!path.includes('//')) return
  const asked = query.size > 0 ? `?${query}` : ''
  throw new GatewayError(307, 'moved to the cleaned path', { Location: encodeURI(cleaned(path)) + asked })
}

/**
 * Sends paths at `localhost` to the host of their CID, so that each has an origin of its own (boxo, `WithHostname`:
 * the only host that Kubo has subdomains for unless its configuration names others).
 */
function redirectToSubdomain(path: string, request: GatewayRequest): void {
  const host = request.headers['host'] ?? ''
  const [, namespace = '', label = '', rest = ''] = /^\/(ip[fn]s)\/([^/]+)(.*)$/s.exec(path) ?? []
  if (!/^localhost(:\d+)?$/i.test(host) || label === '') return
  const cid = namespace === 'ipfs' ? tryParse(label) : parseName(label)
  const canonical = cid === undefined ? undefined : namespace === 'ipfs' ? hostLabel(cid) : formatName(cid)
  if (canonical === undefined || canonical.length > longestLabel) return
  const query = request.query.size > 0 ? `?${request.query}` : ''
  const location = `http://${canonical}.${namespace}.${host}${encodeURI(rest === '' ? '/' : rest)}${query}`
  throw new GatewayError(301, 'moved to the host of the CID', { Location: location })
}

function tryParse(label: string): CID | undefined {
  try {
    return parseCid(label)
  } catch {
    return undefined
  }
}

/**
 * Sends `/ipfs/?uri=ipfs://<cid>/path`, which a browser asks for that has the gateway as its handler of `ipfs:`, to
 * the path that the address stands for
 * (https://specs.ipfs.tech/http-gateways/path-gateway/#uri-request-query-parameter).
 */
function redirectUri(path: string, query: URLSearchParams): void {
  const uri = query.get('uri')
  if (uri === null || !/^\/ip[fn]s\/?$/.test(path)) return
  const [, namespace, rest] = /^(ip[fn]s):\/\/(.+)$/.exec(uri) ?? []
  if (namespace === undefined || rest === undefined) {
    throw new GatewayError(400, `uri query parameter scheme must be ipfs or ipns: ${JSON.stringify(uri)}`)
  }
  const location = encodeURI(`/${namespace}/${rest}`).replaceAll('%25', '%')
  throw new GatewayError(301, 'moved to the path of the address', { Location: location })
}

/** The path of a URL, decoded. */
export function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    throw new GatewayError(400, `invalid path ${JSON.stringify(path)}: malformed percent-encoding`)
  }
}

async function parseContent(
  names: NameSystem,
  path: string,
): Promise<Pick<GatewayTarget, 'content' | 'name' | 'ttlMilliseconds'>> {
  const [namespace, label] = cleanSegments(path)
  try {
    if (namespace !== 'ipns' || label === undefined) return { content: parsePath(path) }
  } catch (error) {
    throw new GatewayError(400, errorText(error))
  }
  try {
    const name = readName(label)
    const { ttlMilliseconds } = await names.find(name)
    const content = parsePath(await names.resolve(`/${cleanSegments(path).join('/')}`))
    return { content, name, ttlMilliseconds }
  } catch (error) {
    throw new GatewayError(500, `failed to resolve ${path}: ${errorText(error)}`, {
      'X-Ipfs-Path': headerText(path),
    })
  }
}

/** The CID in a host name; one in another form than host names keep is sent to that form. */
function readLabel(options: { label: string; domain: string; rest: string }): CID {
  const { label, domain, rest } = options
  let cid: CID
  try {
    cid = parseCid(label)
  } catch (error) {
    throw new GatewayError(400, `invalid CID in the host name: ${errorText(error)}`)
  }
  const canonical = hostLabel(cid)
  if (canonical === label) return cid
  if (canonical.length > longestLabel) {
    throw new GatewayError(400, 'the CID is too long for a host name: use /ipfs/<cid> instead')
  }
  throw new GatewayError(301, 'moved to the form of the CID that host names keep', {
    Location: `http://${canonical}.ipfs.${domain}${rest}`,
  })
}

function hostLabel(cid: CID): string {
  const label = cid.toV1().toString(base32)
  return label.length <= longestLabel ? label : cid.toV1().toString(base36)
}

/** Data in a codec, as the gateway sends it. */
export type DataFormat = 'json' | 'cbor' | 'dag-json' | 'dag-cbor'

/** What the gateway can send: the content itself, one of the forms in which it can be verified, or data in a codec. */
export type GatewayFormat = 'content' | 'raw' | 'car' | 'tar' | 'ipns-record' | DataFormat

/** The media types of data. */
export const dataMediaTypes: Readonly<Record<DataFormat, string>> = {
  json: 'application/json',
  cbor: 'application/cbor',
  'dag-json': 'application/vnd.ipld.dag-json',
  'dag-cbor': 'application/vnd.ipld.dag-cbor',
}

const formatsByMediaType = new Map<string, GatewayFormat>([
  ['application/vnd.ipld.raw', 'raw'],
  ['application/vnd.ipld.car', 'car'],
  ['application/x-tar', 'tar'],
  ['application/vnd.ipfs.ipns-record', 'ipns-record'],
  ...Object.entries(dataMediaTypes).map(([format, type]) => [type, format as DataFormat] as const),
])
const formats: ReadonlySet<string> = new Set(formatsByMediaType.values())

/** The form that a request asks for, with the parameters that its media type has in the `Accept` header. */
export interface ChosenFormat {
  format: GatewayFormat
  parameters: ReadonlyMap<string, string>
}

/**
 * The form that a request asks for: by `format` in the query, else by the `Accept` header
 * (https://specs.ipfs.tech/http-gateways/path-gateway/).
 */
export function chooseFormat(query: URLSearchParams, accept: string | undefined): ChosenFormat {
  const accepted = acceptedFormat(accept ?? '')
  const named = query.get('format')
  // A form that is not known counts as none, as in boxo.
  if (named === null || !formats.has(named)) return accepted ?? { format: 'content', parameters: new Map() }
  const parameters = accepted?.format === named ? accepted.parameters : new Map<string, string>()
  return { format: named as GatewayFormat, parameters }
}

function acceptedFormat(accept: string): ChosenFormat | undefined {
  for (const range of accept.split(',')) {
    const [mediaType = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const format = formatsByMediaType.get(mediaType)
    if (format === undefined) continue
    const pairs = parameters.map((parameter) => parameter.split('='))
    return { format, parameters: new Map(pairs.map(([name = '', value = '']) => [name, value])) }
  }
  return undefined
}
