import type { CID } from 'multiformats/cid'
import { type ContentPath, parsePath } from '../dag/path.js'
import { errorText } from '../errors.js'
import { cleanSegments } from '../mfs/filesPath.js'
import { formatName, parseName } from '../names/keystore.js'
import { type NameSystem, readName } from '../names/nameSystem.js'
import { GatewayError, escapeNonAscii, escapePath, escapeUrlPath, pathHeader } from './headers.js'
import { redirectToLabel, redirectToSubdomain, rootOfSubdomain, subdomainOf } from './subdomain.js'

/** A request to the gateway, free of any transport. */
export interface GatewayRequest {
  method: string
  /** The path of the URL as it came, percent-encoded. */
  path: string
  query: URLSearchParams
  /** The query as it came, with its question mark; empty where there is none. */
  search: string
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
  /** Whether what was asked for ends in a slash. */
  hasTrailingSlash: boolean
}

/** What a target turned out to be. */
export interface ResolvedTarget extends GatewayTarget {
  cid: CID
  /** The CIDs of the path's segments, root first, the last being `cid`. */
  roots: CID[]
}

/**
 * Sends a request to the address under which the same is served, whatever its method (boxo, `gateway/hostname.go`).
 *
 * @throws {@link GatewayError} that redirects, or refuses an address that stands for nothing
 */
export function redirectAddress(request: GatewayRequest): void {
  redirectUncleanPath(request.path, request.search)
  redirectUri(request.query)
  const path = decodePath(request.path)
  const subdomain = subdomainOf(request)
  if (subdomain === undefined) return redirectToSubdomain(path, request)
  redirectToLabel(subdomain, path, request)
  redirectUncleanPath(escapeUrlPath(rootOfSubdomain(subdomain) + path), request.search)
}

/**
 * Reads what a request asks for.
 *
 * @throws {@link GatewayError}, also one that redirects to where the same is served
 */
export async function readTarget(names: NameSystem, request: GatewayRequest): Promise<GatewayTarget> {
  const path = decodePath(request.path)
  const form = subdomainOf(request) === undefined ? 'path' : 'subdomain'
  if (form === 'path' && !/^\/ip[fn]s(\/|$)/.test(path)) throw new GatewayError(404, '404 page not found')
  const shownPath = askedPath(request)
  if (request.headers['service-worker'] === 'script' && /^\/ip[fn]s\/[^/]+$/.test(shownPath)) {
    throw new GatewayError(400, 'navigator.serviceWorker: registration is not allowed for this scope')
  }
  redirectKey(shownPath, request)
  redirectNamespace(shownPath, request)
  const parsed = await parseContent(names, shownPath)
  return {
    ...parsed,
    form,
    contentPath: cleanUrlPath(shownPath),
    shownPath,
    hasTrailingSlash: path.endsWith('/'),
  }
}

/** The path that a request asks for, whether all of it is in its URL or its root in the host name. */
export function askedPath(request: GatewayRequest): string {
  const path = decodePath(request.path)
  const subdomain = subdomainOf(request)
  return subdomain === undefined ? path : rootOfSubdomain(subdomain) + path
}

/** A path without empty segments, `.` and `..`; a slash at the end stays (Go, `http.ServeMux`). */
export function cleanUrlPath(path: string): string {
  const segments = cleanSegments(path)
  return segments.length === 0 ? '/' : `/${segments.join('/')}${path.endsWith('/') ? '/' : ''}`
}

/**
 * Sends a path that is not clean to the one that is. Segments are told apart as they are written, so that `%2e%2e` is a
 * name (Go, `http.ServeMux`).
 */
function redirectUncleanPath(escaped: string, search: string): void {
  const clean = cleanUrlPath(escaped)
  if (escaped === clean) return
  throw new GatewayError(307, 'moved to the cleaned path', { Location: clean + search })
}

/** Sends the name of a key to its form in base36 (boxo, `handleIpnsB58mhToCidRedirection`). */
function redirectKey(path: string, { search }: GatewayRequest): void {
  const [, label = '', rest = ''] = /^\/ipns\/([^/]+)(.*)$/s.exec(path) ?? []
  const name = parseName(label)
  if (name === undefined || formatName(name) === label) return
  throw new GatewayError(302, 'moved to the form of the name in base36', {
    Location: `/ipns/${formatName(name)}${escapeUrlPath(rest)}${search}`,
  })
}

/**
 * Sends `?uri=ipfs://<cid>/path`, which a browser asks for that has the gateway as its handler of `ipfs:`, to the path
 * that the address stands for
 * (https://specs.ipfs.tech/http-gateways/path-gateway/#uri-request-query-parameter).
 */
function redirectUri(query: URLSearchParams): void {
  const uri = query.get('uri')
  if (uri === null || uri === '') return
  const [, scheme, path = '', search] =
    /^(?:([a-z][a-z\d+.-]*):)?(?:\/\/)?([^?#]*)(?:\?([^#]*))?/i.exec(uri) ?? []
  if (scheme?.toLowerCase() !== 'ipfs' && scheme?.toLowerCase() !== 'ipns') {
    throw new GatewayError(400, 'uri query parameter scheme must be ipfs or ipns')
  }
  const segments = cleanSegments(`${scheme.toLowerCase()}/${path}${search ? `?${escapePath(search)}` : ''}`)
  throw new GatewayError(301, 'moved to the path of the address', {
    Location: encodeURI(`/${segments.join('/')}`).replaceAll('%25', '%'),
  })
}

/** A path of a URL that Go takes as it is written (`url.URL.EscapedPath`). */
const writtenPath = /^[\w.~$&+,/:;=@!'()*[\]%-]*$/

/** Sends a path that names its namespace twice to the one that it stands for (boxo, `handleSuperfluousNamespace`). */
function redirectNamespace(path: string, { path: written, query, search }: GatewayRequest): void {
  const [, decoded, namespace, name] = /^\/ipfs(\/(ip[fn]s)\/(.*))$/s.exec(path) ?? []
  if (decoded === undefined) return
  // Go keeps the path of a URL as it is written where that stands for it.
  const isWritten = path === decodePath(written) && writtenPath.test(written)
  const intended = isWritten ? written.replace('/ipfs', '') : escapeUrlPath(decoded)
  try {
    if (namespace === 'ipfs' || name === '') parsePath(intended)
  } catch (error) {
    throw new GatewayError(400, `invalid ipfs path: ${errorText(error)}`)
  }
  const sorted = new URLSearchParams(query)
  sorted.sort()
  throw new GatewayError(301, 'moved to the path with one namespace', {
    Location: intended + (search === '' ? '' : `?${String(sorted).replaceAll('*', '%2A')}`),
  })
}

/** The path of a URL, decoded. */
export function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    throw new GatewayError(400, `invalid path ${JSON.stringify(path)}: it is not in UTF-8`)
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
    const { keepMilliseconds: ttlMilliseconds } = await names.find(name)
    const content = parsePath(await names.resolve(`/${cleanSegments(path).join('/')}`))
    return { content, name, ttlMilliseconds }
  } catch (error) {
    const contentPath = cleanUrlPath(path)
    throw new GatewayError(500, `failed to resolve ${escapeNonAscii(contentPath)}: ${errorText(error)}`, {
      ...pathHeader({ contentPath }),
    })
  }
}

/** Data in a codec, as the gateway sends it. */
export type DataFormat = 'json' | 'cbor' | 'dag-json' | 'dag-cbor'

/**
 * What the gateway can send: the content itself, one of the forms in which it can be verified, or data in a codec.
 * `unknown` is a media type of IPFS or IPLD that no form has.
 */
export type GatewayFormat = 'content' | 'raw' | 'car' | 'tar' | 'ipns-record' | DataFormat | 'unknown'

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

/** Beginnings of media types that ask for a form of their own; of others the content itself is sent. */
const specialTypes = /^application\/(vnd\.ipld|vnd\.ipfs|x-tar|json|cbor)/

/** The first media type that asks for a form of its own. Types in capitals count as others, as in boxo. */
function acceptedFormat(accept: string): ChosenFormat | undefined {
  for (const range of accept.split(',')) {
    const [mediaType = '', ...parameters] = range.split(';').map((part) => part.trim())
    if (!specialTypes.test(mediaType)) continue
    const pairs = parameters.map((parameter) => parameter.split('='))
    return {
      format: formatsByMediaType.get(mediaType.toLowerCase()) ?? 'unknown',
      parameters: new Map(pairs.map(([name = '', value = '']) => [name.toLowerCase(), value])),
    }
  }
  return undefined
}
