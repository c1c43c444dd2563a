import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { isIPv4 } from 'node:net'
import { type Awaitable, whenReady } from '../../encoding/timeSlice.js'
import type { TransportEffects } from '../faults/faultRegistry.js'
import type { Allowlists, ApiKey, KeyStore } from '../keys/apiKey.js'
import type { KeyLabels } from '../journal/journal.js'
import {
  type Refusal,
  accountDisabled,
  billingCardRequired,
  filesCredentialsRequired,
  filesCredentialsWrong,
  filesOperationRefused,
  filesOriginRefused,
  keyRequired,
  keyUnknown,
  kuboForbidden,
  networkRefused,
  secretWrong,
  settingsRefuse,
  tokenInvalid,
} from './refusal.js'

/** Admits or refuses whole requests by key, secret, token, origin and user agent. */
export class AdmissionControl {
  readonly settings: AdmissionSettings

  constructor(settings: AdmissionSettings) {
    this.settings = settings
  }

  admitRpc(entry: RpcAdmissionRequest): Awaitable<AdmissionResult<Caller>> {
    return whenReady(admitRpcRequest(this.settings, entry), (admission) => {
      if (admission.refusal !== undefined) {
        const { transport, network, key } = entry
        this.settings.onRefusal?.({ transport, network, key, refusal: admission.refusal })
      }
      return admission
    })
  }

  admitFiles(entry: FileAdmissionRequest): AdmissionResult<FileCaller> {
    const admission = admitFileRequest(this.settings, entry)
    if (admission.refusal !== undefined) {
      const { operation } = entry
      const { refusal } = admission
      this.settings.onRefusal?.({
        transport: 'files',
        network: undefined,
        key: undefined,
        operation,
        refusal,
      })
    } else admission.caller.unrecorded = entry.headers['standin-journal'] === 'off'
    return admission
  }

  /** Whether a page of this origin may use the controls and, without a key, the file network. */
  isOwnOrigin(origin: string): boolean {
    return isOwnOrigin(this.settings.allowedOrigins, origin)
  }
}

/** The parts of a JSON-RPC request or WebSocket upgrade that admission checks. */
export interface RpcAdmissionRequest {
  transport: 'http' | 'upgrade'
  network: string
  /** The path segment after `v3`. */
  key: string | undefined
  /** Whether anything, even a slash, follows the key. */
  trailing: boolean
  /** Whether the path is the controls' own. */
  control: boolean
  headers: IncomingHttpHeaders
}

/** The parts of a file request that admission checks. */
export interface FileAdmissionRequest {
  /** For example `pin/add`. */
  operation: string
  headers: IncomingHttpHeaders
}

/** Result of admission: the caller, or the refusal. */
export type AdmissionResult<Who> = { caller: Who; refusal?: undefined } | { refusal: Refusal }

/** Caller of the file network. */
export interface FileCaller {
  /** Undefined if no credentials are required. */
  key: ApiKey | undefined
  /** Whether to omit the request from the journal and the usage. */
  unrecorded?: boolean
}

/** Which requests are admitted and which methods exist; see the provider's guide for the modes. */
export type Mode = 'open' | 'guarded' | 'strict'

/** Dependencies of admission. */
export interface AdmissionSettings {
  mode: Mode
  keys: KeyStore
  /** Names of keys in the journal. */
  keyLabels: KeyLabels
  /** Origins of pages admitted like loopback ones; `*` means all. */
  allowedOrigins: readonly string[]
  /** Whether the file network requires no credentials in guarded mode. */
  filesWithoutCredentials: boolean
  /** Whether a key's secret overrides its allowlists. */
  secretOverridesAllowlists: (key: ApiKey) => boolean
  /** Called for each refused request. */
  onRefusal?: ((refused: RefusedRequest) => void) | undefined
}

/** A request refused by admission. */
export interface RefusedRequest {
  transport: 'http' | 'upgrade' | 'files'
  network: string | undefined
  /** As given, known or not. */
  key: string | undefined
  operation?: string
  refusal: Refusal
}

/** Admits or refuses a JSON-RPC request or WebSocket upgrade; refusals have the same texts. */
function admitRpcRequest(
  settings: AdmissionSettings,
  entry: RpcAdmissionRequest,
): Awaitable<AdmissionResult<Caller>> {
  const { origin } = entry.headers
  const caller = createCaller(entry.network)
  caller.control = entry.control
  caller.unrecorded = entry.control && entry.headers['standin-journal'] === 'off'
  caller.keyLabel = entry.key === undefined ? undefined : settings.keyLabels.of(entry.key)
  caller.foreignOrigin = origin !== undefined && !isOwnOrigin(settings.allowedOrigins, origin)
  caller.failover = entry.headers['enable-failover'] === 'true'
  if (settings.mode === 'open' || entry.control) return { caller }
  if (entry.key === undefined || entry.trailing) return { refusal: keyRequired }
  const key = settings.keys.get(entry.key)
  if (key === undefined) return { refusal: keyUnknown }
  caller.key = key
  if (key.disabled) return { refusal: accountDisabled }
  const secret = proveSecret(key, entry)
  if (secret === 'wrong') return { refusal: secretWrong }
  if (key.networks !== undefined && !key.networks.includes(entry.network)) {
    return { refusal: networkRefused(entry.network) }
  }
  if (key.requireSecret && secret === 'missing') return { refusal: settingsRefuse }
  caller.trusted = secret === 'right' && settings.secretOverridesAllowlists(key)
  return key.token === undefined ? admitPage(caller, key, entry) : admitWithToken(caller, key, entry)
}

/** Checks the secret, which JSON-RPC expects as the password of an empty user name. */
function proveSecret(key: ApiKey, entry: RpcAdmissionRequest): 'right' | 'wrong' | 'missing' {
  const credentials = parseBasicCredentials(entry.headers.authorization)
  if (credentials === undefined) return 'missing'
  const isRight =
    key.secret !== undefined && credentials.user === '' && secretsEqual(credentials.password, key.secret)
  return isRight ? 'right' : 'wrong'
}

async function admitWithToken(
  caller: Caller,
  key: ApiKey,
  entry: RpcAdmissionRequest,
): Promise<AdmissionResult<Caller>> {
  const { token: rules } = key
  if (rules === undefined) return admitPage(caller, key, entry)
  const token = parseBearerToken(entry.headers.authorization)
  if (token !== undefined) {
    // Loaded with the first token.
    const { verifyToken } = await import('./token.js')
    caller.claims = await verifyToken(rules, token)
    if (caller.claims === undefined) return { refusal: tokenInvalid }
  }
  const isRequired = rules.required === 'all' || isListedPage(rules.lists, entry)
  if (caller.claims === undefined && isRequired) return { refusal: tokenInvalid }
  return admitPage(caller, key, entry)
}

/** Whether the requesting page or program is on a list that requires a token. */
function isListedPage({ origins, userAgents }: Allowlists, { headers }: RpcAdmissionRequest): boolean {
  const isListedOrigin = headers.origin !== undefined && matchesOrigin(origins, headers.origin)
  return isListedOrigin || matchesUserAgent(userAgents, headers['user-agent'])
}

function admitPage(caller: Caller, key: ApiKey, entry: RpcAdmissionRequest): AdmissionResult<Caller> {
  const refusal = caller.trusted ? undefined : refusePage(caller, key, entry)
  return refusal === undefined ? { caller } : { refusal }
}

function refusePage(
  { claims }: Caller,
  { allowlists }: ApiKey,
  { headers }: RpcAdmissionRequest,
): Refusal | undefined {
  const origins = claims?.origins.length ? claims.origins : allowlists.origins
  if (origins.length > 0 && !matchesOrigin(origins, headers.origin ?? '')) return settingsRefuse
  const userAgents = claims?.userAgents.length ? claims.userAgents : allowlists.userAgents
  if (userAgents.length > 0 && !matchesUserAgent(userAgents, headers['user-agent'])) return settingsRefuse
  return undefined
}

function matchesUserAgent(parts: readonly string[], userAgent = ''): boolean {
  return parts.some((part) => userAgent.includes(part))
}

/** Operations of the hosted file network. */
const hostedOperations: ReadonlySet<string> = new Set([
  ...['add', 'cat', 'get', 'version'],
  ...['block/get', 'block/put', 'block/stat'],
  ...['dag/get', 'dag/put', 'dag/import', 'dag/resolve'],
  ...['pin/add', 'pin/ls', 'pin/rm', 'pin/update'],
])

/** Admits or refuses a file request: first its credentials, then the key's settings. */
function admitFileRequest(
  settings: AdmissionSettings,
  entry: FileAdmissionRequest,
): AdmissionResult<FileCaller> {
  if (settings.mode === 'open' || (settings.mode === 'guarded' && settings.filesWithoutCredentials)) {
    return isKnownPage(settings, entry.headers) ? { caller: { key: undefined } } : { refusal: kuboForbidden }
  }
  if (entry.headers.authorization === undefined) return { refusal: filesCredentialsRequired }
  const credentials = parseBasicCredentials(entry.headers.authorization)
  const key = credentials === undefined ? undefined : settings.keys.get(credentials.user)
  if (credentials === undefined || key?.secret === undefined || key.disabled) {
    return { refusal: filesCredentialsWrong }
  }
  if (!secretsEqual(credentials.password, key.secret)) return { refusal: filesCredentialsWrong }
  const { origin } = entry.headers
  const { origins } = key.allowlists
  if (origins.length > 0 && !matchesOrigin(origins, origin ?? '')) return { refusal: filesOriginRefused }
  if (settings.mode === 'strict') {
    if (!key.billingCard) return { refusal: billingCardRequired }
    if (!hostedOperations.has(entry.operation)) return { refusal: filesOperationRefused }
  }
  return { caller: { key } }
}

/**
 * Applies Kubo's rule for pages, but allows every loopback origin rather than only that of its own port: a browser must
 * identify its page (kubo: go-ipfs-cmds http/handler.go, allowOrigin, allowReferer, allowUserAgent).
 */
function isKnownPage(settings: AdmissionSettings, headers: IncomingHttpHeaders): boolean {
  const { origin, referer } = headers
  if (!origin && !referer) return !(headers['user-agent'] ?? '').startsWith('Mozilla')
  const pages = [origin, referer && originOf(referer)]
  return pages.every((page) => !page || isOwnOrigin(settings.allowedOrigins, page))
}

function originOf(referer: string): string {
  return URL.canParse(referer) ? new URL(referer).origin : 'null'
}

/** A WebSocket as faults and quotas control it. */
export interface CallerConnection {
  /** Closes it with a close frame. */
  close(code: number, reason: string): void
  /** Closes it without a close frame. */
  destroy(): void
  /** Whether to discard what subscriptions push. */
  dropsEvents: boolean
  /** Closes it once its caller has been silent for this long. */
  closeWhenIdle(milliseconds: number): void
}

/** What admission learned about a request or connection; the call policy depends on it. */
export interface Caller {
  network: string
  /** Undefined in open mode and on the controls' own path. */
  key: ApiKey | undefined
  /** The path's key as the journal shows it. */
  keyLabel: string | undefined
  /** Whether the request came over the controls' own path, where every method exists. */
  control: boolean
  /** Whether to omit the request from the journal and the usage. */
  unrecorded: boolean
  /** Whether it comes from a page whose origin is neither loopback nor allowed. */
  foreignOrigin: boolean
  /** Whether the caller proved the key's secret. */
  trusted: boolean
  /** Allowlists of a valid JSON web token; undefined without one. */
  claims: Allowlists | undefined
  /** Whether the caller requested failover to the partner during an outage. */
  failover: boolean
  /** Kinds of open subscriptions by id; for a WebSocket. */
  subscriptions: Map<string, string> | undefined
  /** Set once a WebSocket is open. */
  connection: CallerConnection | undefined
  /** Effects of faults on the answer to one HTTP request. */
  effects: TransportEffects | undefined
  /** Set if the partner answered. */
  answeredBy: 'partner' | undefined
}

/** Creates a caller with nothing known but the network. */
export function createCaller(network: string): Caller {
  return {
    network,
    key: undefined,
    keyLabel: undefined,
    control: false,
    unrecorded: false,
    foreignOrigin: false,
    trusted: false,
    claims: undefined,
    failover: false,
    subscriptions: undefined,
    connection: undefined,
    effects: undefined,
    answeredBy: undefined,
  }
}

/** User name and password of HTTP Basic authentication. */
export interface Credentials {
  user: string
  password: string
}

/** Parses an Authorization header of the Basic scheme (RFC 7617); undefined if it is not one. */
function parseBasicCredentials(header: string | undefined): Credentials | undefined {
  const encoded = /^basic +([A-Za-z0-9+/_=-]+) *$/i.exec(header ?? '')?.[1]
  if (encoded === undefined) return undefined
  const decoded = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = decoded.indexOf(':')
  if (colon < 0) return undefined
  return { user: decoded.slice(0, colon), password: decoded.slice(colon + 1) }
}

/** Extracts the token of an Authorization header of the Bearer scheme (RFC 6750). */
function parseBearerToken(header: string | undefined): string | undefined {
  return /^bearer +(\S+) *$/i.exec(header ?? '')?.[1]
}

/** Compares secrets without timing leaks about their difference or lengths. */
function secretsEqual(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** `<cid>.ipfs.localhost`: its content may be anybody's, so it is not trusted. */
const gatewayName = /\.ip[fn]s\.localhost$/

/** Whether a host, written as in a URL, refers to this machine. */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase()
  if (gatewayName.test(name)) return false
  if (name === 'localhost' || name.endsWith('.localhost') || name === '[::1]' || name === '::1') return true
  return isIPv4(name) && name.startsWith('127.')
}

/** Strips the port from a Host header or an origin's host. */
export function hostWithoutPort(host: string): string {
  return host.replace(/:\d*$/, '')
}

/** Whether an origin is that of a page served by this machine. */
function isLoopbackOrigin(origin: string): boolean {
  const host = /^https?:\/\/([^/]+)$/i.exec(origin)?.[1]
  return host !== undefined && isLoopbackHost(hostWithoutPort(host))
}

/** Whether an Origin header is a browser's: a scheme and a host, or `null` if it is opaque. */
function isPageOrigin(origin: string): boolean {
  return origin === 'null' || /^[a-z][a-z0-9+.-]*:/i.test(origin)
}

/**
 * Whether an Origin header is that of a page of this machine, of an allowed page, or of no page at all: titanoboa sends
 * its own name.
 */
function isOwnOrigin(allowedOrigins: readonly string[], origin: string): boolean {
  return !isPageOrigin(origin) || isLoopbackOrigin(origin) || matchesOrigin(allowedOrigins, origin)
}

/**
 * Whether an origin matches a list.
 *
 * An entry may omit the scheme, a leading `*.` matches any subdomain, and `*` matches every origin.
 */
function matchesOrigin(entries: readonly string[], origin: string): boolean {
  return entries.some((entry) => entry === '*' || matchesEntry(entry.toLowerCase(), origin.toLowerCase()))
}

function matchesEntry(entry: string, origin: string): boolean {
  const [scheme, host] = splitScheme(entry)
  const [originScheme, originHost] = splitScheme(origin)
  if (scheme !== undefined && scheme !== originScheme) return false
  return host.startsWith('*.') ? originHost.endsWith(host.slice(1)) : host === originHost
}

function splitScheme(text: string): [scheme: string | undefined, rest: string] {
  const at = text.indexOf('://')
  return at < 0 ? [undefined, text] : [text.slice(0, at), text.slice(at + 3)]
}
