import { base32 } from 'multiformats/bases/base32'
import { base36 } from 'multiformats/bases/base36'
import type { CID } from 'multiformats/cid'
import { codecCode } from '../cid/cidFormat.js'
import { parseCid } from '../cid/parseCid.js'
import { type ContentPath, parsePath } from '../dag/path.js'
import { errorText } from '../errors.js'
import { cleanSegments } from '../mfs/filesPath.js'
import { formatName, parseName } from '../names/keystore.js'
import { type NameSystem, readName } from '../names/nameSystem.js'
import { GatewayError, escapeNonAscii, escapePath, escapeUrlPath, headerText } from './headers.js'

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
  hasTrailingSlash: boolean
}

/** What a target turned out to be. */
export interface ResolvedTarget extends GatewayTarget {
  cid: CID
  /** The CIDs of the path's segments, root first, the last being `cid`. */
  roots: CID[]
}

/** The longest label of a host name (RFC 1035). */
const longestLabel = 63

/**
 * Sends a request to the address under which the same is served, whatever its method (boxo, `gateway/hostname.go`).
 *
 * @throws {@link GatewayError} that redirects, or refuses an address that stands for nothing
 */
export function redirectAddress(request: GatewayRequest): void {
  redirectUncleanPath(request)
  redirectUri(request.query)
  const path = decodePath(request.path)
  const subdomain = subdomainOf(request)
  if (subdomain === undefined) redirectToSubdomain(path, request)
  else redirectToLabel(subdomain, path, request)
}

/**
 * Reads what a request asks for.
 *
 * @throws {@link GatewayError}, also one that redirects to where the same is served
 */
export async function readTarget(names: NameSystem, request: GatewayRequest): Promise<GatewayTarget> {
  const path = decodePath(request.path)
  const subdomain = subdomainOf(request)
  if (subdomain === undefined && !/^\/ip[fn]s(\/|$)/.test(path))
    throw new GatewayError(404, '404 page not found')
  const form = subdomain === undefined ? 'path' : 'subdomain'
  const shownPath = subdomain === undefined ? path : `/${subdomain.namespace}/${subdomain.label}${path}`
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

/** A host name that begins with what is asked for: `<label>.ipfs.<domain>`. */
interface Subdomain {
  label: string
  namespace: 'ipfs' | 'ipns'
  /** With its port. */
  domain: string
}

function subdomainOf({ headers }: GatewayRequest): Subdomain | undefined {
  const [, label, namespace, domain] = /^([^.]+)\.(ip[fn]s)\.(.+)$/.exec(hostOf(headers)) ?? []
  if (label === undefined || namespace === undefined || domain === undefined) return undefined
  return { label, namespace: namespace as Subdomain['namespace'], domain }
}

/** The host that the client asked, also where a proxy passes its request on. */
function hostOf(headers: GatewayRequest['headers']): string {
  return headers['x-forwarded-host'] || (headers['host'] ?? '')
}

/** A path without empty segments, `.` and `..`; a slash at the end stays (Go, `http.ServeMux`). */
function cleanUrlPath(path: string): string {
  const segments = cleanSegments(path)
  return segments.length === 0 ? '/' : `/${segments.join('/')}${path.endsWith('/') ? '/' : ''}`
}

/** Sends a path that is not clean to the one that is. */
function redirectUncleanPath({ path: encoded, search }: GatewayRequest): void {
  const path = decodePath(encoded)
  const clean = cleanUrlPath(path)
  if (path === clean) return
  throw new GatewayError(307, 'moved to the cleaned path', { Location: escapeUrlPath(clean) + search })
}

/**
 * Sends paths at `localhost` to the host of their CID, so that each has an origin of its own (boxo, `WithHostname`:
 * the only host that Kubo has subdomains for unless its configuration names others).
 */
function redirectToSubdomain(path: string, request: GatewayRequest): void {
  const [, namespace = '', label = '', rest = ''] = /^\/(ip[fn]s)\/([^/]+)(.*)$/s.exec(path) ?? []
  if (!/^localhost(:\d+)?$/.test(hostOf(request.headers)) || label === '') return
  const canonical = canonicalLabel(namespace, label)
  if (canonical !== undefined) throw movedToHost({ label: canonical, namespace, rest }, request)
}

/** Sends a host name that is too long, or names a key by another codec, to the one that is canonical. */
function redirectToLabel(
  { label, namespace, domain }: Subdomain,
  path: string,
  request: GatewayRequest,
): void {
  const cid = tryParse(label)
  const isKey = namespace === 'ipns' && cid !== undefined
  if (label.length <= longestLabel && !(isKey && cid.code !== codecCode.libp2pKey)) return
  const canonical = canonicalLabel(namespace, label)
  if (canonical !== undefined) throw movedToHost({ label: canonical, namespace, rest: path }, request, domain)
}

function movedToHost(
  { label, namespace, rest }: { label: string; namespace: string; rest: string },
  { headers, search }: GatewayRequest,
  domain = hostOf(headers),
): GatewayError {
  const scheme = headers['x-forwarded-proto'] === 'https' ? 'https' : 'http'
  const path = escapeUrlPath(rest === '' ? '/' : rest)
  return new GatewayError(301, 'moved to the host of the CID', {
    Location: `${scheme}://${label}.${namespace}.${domain}${path}${search}`,
  })
}

/**
 * How host names write a CID or the name of a key; undefined for what is neither.
 *
 * @throws {@link GatewayError} when no host name is long enough for it
 */
function canonicalLabel(namespace: string, label: string): string | undefined {
  const cid = namespace === 'ipfs' ? tryParse(label) : parseName(label)
  if (cid === undefined) return undefined
  const inBase32 = cid.toV1().toString(base32)
  const canonical =
    namespace === 'ipfs' && inBase32.length <= longestLabel ? inBase32 : cid.toV1().toString(base36)
  if (canonical.length <= longestLabel) return canonical
  throw new GatewayError(400, `CID incompatible with DNS label length limit of ${longestLabel}: ${canonical}`)
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

function tryParse(label: string): CID | undefined {
  try {
    return parseCid(label)
  } catch {
    return undefined
  }
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

/** Sends a path that names its namespace twice to the one that it stands for (boxo, `handleSuperfluousNamespace`). */
function redirectNamespace(path: string, { query, search }: GatewayRequest): void {
  const [, intended, namespace, name] = /^\/ipfs(\/(ip[fn]s)\/(.*))$/s.exec(path) ?? []
  if (intended === undefined) return
  try {
    if (namespace === 'ipfs' || name === '') parsePath(intended)
  } catch (error) {
    throw new GatewayError(400, `invalid ipfs path: ${errorText(error)}`)
  }
  const sorted = new URLSearchParams(query)
  sorted.sort()
  throw new GatewayError(301, 'moved to the path with one namespace', {
    Location: escapeUrlPath(intended) + (search === '' ? '' : `?${String(sorted).replaceAll('*', '%2A')}`),
  })
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
    throw new GatewayError(500, `failed to resolve ${escapeNonAscii(path)}: ${errorText(error)}`, {
      'X-Ipfs-Path': headerText(path),
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

/** The first media type that asks for a form of its own. */
function acceptedFormat(accept: string): ChosenFormat | undefined {
  for (const range of accept.split(',')) {
    const [mediaType = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    if (!specialTypes.test(mediaType)) continue
    const pairs = parameters.map((parameter) => parameter.split('='))
    return {
      format: formatsByMediaType.get(mediaType) ?? 'unknown',
      parameters: new Map(pairs.map(([name = '', value = '']) => [name, value])),
    }
  }
  return undefined
}
