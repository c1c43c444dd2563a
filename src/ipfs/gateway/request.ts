import type { CID } from 'multiformats/cid'
import { type ContentPath, parsePath } from '../dag/path.js'
import { errorText } from '../../encoding/errorText.js'
import { cleanSegments } from '../mfs/filesPath.js'
import { formatName, parseName } from '../names/keystore.js'
import { type NameSystem, readName } from '../names/nameSystem.js'
import {
  GatewayError,
  PageNotFoundError,
  UncleanPathError,
  escapePath,
  escapeUrlPath,
  pathHeader,
} from './headers.js'
import { redirectToLabel, redirectToSubdomain, rootOfSubdomain, subdomainOf } from './subdomain.js'
import { decodeEscapes, encodeEscapes } from '../../encoding/byteText.js'
import type { RequestQuery } from '../request/command.js'
import { parseMediaType } from '../request/multipart.js'
import { goEscape } from '../text/goQuote.js'

/** A request to the gateway, independent of the transport. */
export interface GatewayRequest {
  method: string
  /** Raw URL path, percent-encoded. */
  path: string
  query: RequestQuery
  /** Raw query with its question mark; empty if there is none. */
  search: string
  /** By lower-case name; `host` selects between path and subdomain. */
  headers: Readonly<Record<string, string | undefined>>
  signal: AbortSignal
}

/** What a request to the gateway asks for. */
export interface GatewayTarget {
  /** How the content was addressed: as `/ipfs/<cid>/…`, or with the CID in the host name. */
  form: 'path' | 'subdomain'
  content: ContentPath
  /** Decoded, cleaned path for messages and pages: `/ipfs/<cid>/…`. */
  contentPath: string
  /** The IPNS name with which the path begins, if any. */
  name?: CID
  /** The requested path, with a name resolved. */
  immutablePath: string
  /** Milliseconds for which the resolved name may be cached. */
  ttlMilliseconds?: number
  /** Whether the requested path ends in a slash. */
  hasTrailingSlash: boolean
}

/** A target resolved to a block. */
export interface ResolvedTarget extends GatewayTarget {
  cid: CID
  /** CIDs along the path, root first; the last is `cid`. */
  roots: CID[]
}

/**
 * Redirects a request to the canonical address of its content, whatever the method (boxo, `gateway/hostname.go`).
 *
 * @throws {@link GatewayError} for a redirect, or an address without content
 */
export function redirectAddress(request: GatewayRequest): void {
  const cleaned = cleanAddress(request.path, request.search)
  if (cleaned !== undefined) throw new UncleanPathError(cleaned)
  redirectUri(request.query)
  const path = decodePath(request.path)
  const subdomain = subdomainOf(request)
  if (subdomain === undefined) {
    redirectToSubdomain(path, request)
    const search = request.search === '?' ? '' : request.search
    if (path === '/ipfs' || path === '/ipns') {
      throw new GatewayError(307, 'moved to the namespace', { Location: `${path}/${search}` })
    }
    if (!/^\/ip[fn]s\//.test(path)) throw new PageNotFoundError()
    return
  }
  redirectToLabel(subdomain, path, request)
  // Peers have hosts, but serve nothing there.
  if (subdomain.namespace === 'p2p') throw new PageNotFoundError()
  const moved = cleanAddress(escapeUrlPath(rootOfSubdomain(subdomain) + path), request.search)
  // Unlike the redirect above, it is open to pages of other origins: Kubo has added its headers by now.
  if (moved !== undefined) throw new GatewayError(307, 'moved to the cleaned path', { Location: moved })
}

/**
 * Parses what a request asks for.
 *
 * @throws {@link GatewayError}, including redirects to the canonical address
 */
export async function readTarget(names: NameSystem, request: GatewayRequest): Promise<GatewayTarget> {
  const path = decodePath(request.path)
  const form = subdomainOf(request) === undefined ? 'path' : 'subdomain'
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
    hasTrailingSlash: path.endsWith('/'),
  }
}

/** Returns the requested path, with the root taken from the URL or from the host name. */
export function askedPath(request: GatewayRequest): string {
  const path = decodePath(request.path)
  const subdomain = subdomainOf(request)
  return subdomain === undefined ? path : rootOfSubdomain(subdomain) + path
}

/** Removes empty segments from a path and resolves `.` and `..`; keeps a trailing slash (Go, `http.ServeMux`). */
export function cleanUrlPath(path: string): string {
  const segments = cleanSegments(path)
  return segments.length === 0 ? '/' : `/${segments.join('/')}${path.endsWith('/') ? '/' : ''}`
}

/**
 * Returns the address of the clean form of a path; undefined if it is clean. Compares segments as written, so `%2e%2e`
 * is a name (Go, `http.ServeMux`).
 */
function cleanAddress(escaped: string, search: string): string | undefined {
  const clean = cleanUrlPath(escaped)
  return escaped === clean ? undefined : clean + (search === '?' ? '' : search)
}

/** Redirects a key's name to its base36 form (boxo, `handleIpnsB58mhToCidRedirection`). */
function redirectKey(path: string, { search }: GatewayRequest): void {
  const [, label = '', rest = ''] = /^\/ipns\/([^/]+)(.*)$/s.exec(path) ?? []
  const name = parseName(label)
  if (name === undefined || formatName(name) === label) return
  throw new GatewayError(302, 'moved to the form of the name in base36', {
    Location: escapeUrlPath(cleanUrlPath(`/ipns/${formatName(name)}${rest}`)) + search,
  })
}

/**
 * Redirects `?uri=ipfs://<cid>/path` to the path of that address. Browsers send it if the gateway is registered as
 * their handler of `ipfs:` (https://specs.ipfs.tech/http-gateways/path-gateway/#uri-request-query-parameter).
 */
function redirectUri(query: RequestQuery): void {
  const uri = query.get('uri')
  if (uri === null || uri === '') return
  const [, scheme, path = '', search] =
    /^(?:([a-z][a-z\d+.-]*):)?(?:\/\/)?([^?#]*)(?:\?([^#]*))?/i.exec(uri) ?? []
  if (scheme === undefined && /^[^/?#]*:/.test(uri)) {
    throw new GatewayError(400, 'failed to parse uri query parameter')
  }
  if (scheme?.toLowerCase() !== 'ipfs' && scheme?.toLowerCase() !== 'ipns') {
    throw new GatewayError(400, 'uri query parameter scheme must be ipfs or ipns')
  }
  const shownSearch = search ? `${path.includes('/') ? '' : '/'}?${escapePath(search)}` : ''
  const segments = cleanSegments(`${scheme.toLowerCase()}/${path}${shownSearch}`)
  throw new GatewayError(301, 'moved to the path of the address', {
    Location: encodeEscapes(`/${segments.join('/')}`, encodeURI).replaceAll('%25', '%'),
  })
}

/** A URL path that Go keeps as written (`url.URL.EscapedPath`). */
const writtenPath = /^[\w.~$&+,/:;=@!'()*[\]%-]*$/

/** Redirects a path with a repeated namespace to the one meant (boxo, `handleSuperfluousNamespace`). */
function redirectNamespace(path: string, { path: written, query, search }: GatewayRequest): void {
  const [, decoded, namespace, name] = /^\/ipfs(\/(ip[fn]s)\/(.*))$/s.exec(path) ?? []
  if (decoded === undefined) return
  // Go keeps a URL's path as written if that is a valid encoding.
  const isWritten = path === decodePath(written) && writtenPath.test(written)
  const intended = isWritten ? written.replace('/ipfs', '') : escapeUrlPath(decoded)
  try {
    if (namespace === 'ipfs' || name === '') parsePath(intended)
  } catch (error) {
    throw new GatewayError(400, `invalid ipfs path: ${errorText(error)}`)
  }
  const sorted = new URLSearchParams([...query])
  sorted.sort()
  throw new GatewayError(301, 'moved to the path with one namespace', {
    Location: intended + (search.length <= 1 ? '' : `?${String(sorted).replaceAll('*', '%2A')}`),
  })
}

/** Decodes the path of a URL. */
export function decodePath(path: string): string {
  return decodeEscapes(path)
}

async function parseContent(
  names: NameSystem,
  path: string,
): Promise<Pick<GatewayTarget, 'content' | 'name' | 'ttlMilliseconds' | 'immutablePath'>> {
  const [namespace, label] = cleanSegments(path)
  try {
    if (namespace !== 'ipns' || label === undefined) {
      return { content: parsePath(path), immutablePath: cleanUrlPath(path) }
    }
  } catch (error) {
    throw new GatewayError(400, errorText(error))
  }
  try {
    const name = readName(label)
    const { keepMilliseconds: ttlMilliseconds } = await names.find(name)
    const resolved = await names.resolve(`/${cleanSegments(path).join('/')}`)
    const immutablePath = cleanUrlPath(path.endsWith('/') ? `${resolved}/` : resolved)
    return { content: parsePath(resolved), name, ttlMilliseconds, immutablePath }
  } catch (error) {
    const contentPath = cleanUrlPath(path)
    throw new GatewayError(
      500,
      `failed to resolve ${goEscape(contentPath, { ascii: true })}: ${errorText(error)}`,
      {
        ...pathHeader({ contentPath }),
      },
    )
  }
}

/** Formats of data that the gateway sends. */
export type DataFormat = 'json' | 'cbor' | 'dag-json' | 'dag-cbor'

/**
 * Formats that the gateway sends: the content itself, a verifiable form, or data in a codec. `unknown` is a media type
 * of IPFS or IPLD without a format.
 */
export type GatewayFormat = 'content' | 'raw' | 'car' | 'tar' | 'ipns-record' | DataFormat | 'unknown'

/** Media types of data formats. */
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

/** The requested format, with the parameters of its media type in the `Accept` header. */
export interface ChosenFormat {
  format: GatewayFormat
  parameters: ReadonlyMap<string, string>
  /** Set if the media type is malformed, which is reported once the path is known to be valid. */
  problem?: GatewayError
}

/**
 * Returns the requested format: `format` in the query, else the `Accept` header
 * (https://specs.ipfs.tech/http-gateways/path-gateway/).
 */
export function chooseFormat(query: RequestQuery, accept: string | undefined): ChosenFormat {
  const accepted = acceptedFormat(accept ?? '')
  const named = query.get('format')
  if (accepted?.problem !== undefined) return accepted
  // An unknown format is ignored, as in boxo.
  if (named === null || !formats.has(named)) return accepted ?? { format: 'content', parameters: new Map() }
  const parameters = accepted?.format === named ? accepted.parameters : new Map<string, string>()
  return { format: named as GatewayFormat, parameters }
}

/** Prefixes of media types that select a format; for all others the content itself is sent. */
const specialTypes = /^application\/(vnd\.ipld|vnd\.ipfs|x-tar|json|cbor)/

/** Returns the first media type that selects a format. Matches lower case only, as in boxo. */
function acceptedFormat(accept: string): ChosenFormat | undefined {
  for (const range of accept.split(',')) {
    const trimmed = range.trim()
    if (!specialTypes.test(trimmed)) continue
    try {
      const { value, parameters } = parseMediaType(trimmed)
      return { format: formatsByMediaType.get(value) ?? 'unknown', parameters }
    } catch (error) {
      const problem = new GatewayError(400, `error while processing the Accept header: ${errorText(error)}`)
      return { format: 'unknown', parameters: new Map(), problem }
    }
  }
  return undefined
}
