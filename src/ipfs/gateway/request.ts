import { base32 } from 'multiformats/bases/base32'
import { base36 } from 'multiformats/bases/base36'
import type { CID } from 'multiformats/cid'
import { parseCid } from '../cid/parseCid.js'
import { type ContentPath, parsePath } from '../dag/path.js'
import { errorText } from '../errors.js'
import { cleanSegments } from '../mfs/filesPath.js'
import { GatewayError } from './headers.js'

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
  /** The path as it is named in headers and pages: `/ipfs/<cid>/…`, decoded. */
  contentPath: string
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
export function readTarget(request: GatewayRequest): GatewayTarget {
  const path = decodePath(request.path)
  const subdomain = subdomainPattern.exec(request.headers['host'] ?? '')
  const hasTrailingSlash = path.endsWith('/')
  if (subdomain === null) {
    redirectUri(path, request.query)
    const content = parseContent(path)
    return { form: 'path', content, contentPath: path, hasTrailingSlash }
  }
  const [, label = '', namespace = '', domain = ''] = subdomain
  if (namespace.toLowerCase() === 'ipns') throw noNameSystem()
  const query = request.query.size > 0 ? `?${request.query}` : ''
  const root = readLabel({ label, domain, rest: request.path + query })
  const segments = cleanSegments(path)
  return {
    form: 'subdomain',
    content: { namespace: 'ipfs', root, segments },
    contentPath: ['/ipfs', root.toString(), ...segments].join('/'),
    hasTrailingSlash,
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

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    throw new GatewayError(400, `invalid path ${JSON.stringify(path)}: malformed percent-encoding`)
  }
}

function parseContent(path: string): ContentPath {
  if (path.startsWith('/ipns')) throw noNameSystem()
  try {
    return parsePath(path)
  } catch (error) {
    throw new GatewayError(400, errorText(error))
  }
}

function noNameSystem(): GatewayError {
  return new GatewayError(501, 'cannot resolve an /ipns/ path: this file network has no name system')
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
export type GatewayFormat = 'content' | 'raw' | 'car' | 'tar' | DataFormat

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
 *
 * @throws {@link GatewayError} for a form that is not offered
 */
export function chooseFormat(query: URLSearchParams, accept: string | undefined): ChosenFormat {
  const accepted = acceptedFormat(accept ?? '')
  const named = query.get('format')
  if (named === null || named === '') return accepted ?? { format: 'content', parameters: new Map() }
  if (!formats.has(named)) {
    throw new GatewayError(400, `unsupported format ${JSON.stringify(named)}: use ${[...formats].join(', ')}`)
  }
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
