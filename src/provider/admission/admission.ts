import type { IncomingHttpHeaders } from 'node:http'
import { type Caller, createCaller } from '../caller.js'
import { type Allowlists, type ApiKey, type KeyStore, maskKey } from '../keys/apiKey.js'
import { parseBasicCredentials, parseBearerToken, secretsEqual } from './credentials.js'
import { isOwnOrigin, matchesOrigin } from './origin.js'
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

/** Judges whole requests: keys, secrets, tokens, origins, user agents. */
export class AdmissionControl {
  readonly settings: AdmissionSettings

  constructor(settings: AdmissionSettings) {
    this.settings = settings
  }

  async admitRpc(entry: RpcAdmissionRequest): Promise<AdmissionResult<Caller>> {
    const admission = await admitRpcRequest(this.settings, entry)
    if (admission.refusal !== undefined) {
      const { transport, network, key } = entry
      this.settings.onRefusal?.({ transport, network, key, refusal: admission.refusal })
    }
    return admission
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

  /** Whether a web page of this origin may use the controls and, without a key, the file network. */
  isOwnOrigin(origin: string): boolean {
    return isOwnOrigin(this.settings.allowedOrigins, origin)
  }
}

/** The part of a JSON-RPC request, or of a WebSocket upgrade, that admission checks. */
export interface RpcAdmissionRequest {
  transport: 'http' | 'upgrade'
  network: string
  /** The path's segment behind `v3`. */
  key: string | undefined
  /** Whether the path goes on behind the key, if only by a slash. */
  trailing: boolean
  /** Whether the path is the controls' own. */
  control: boolean
  headers: IncomingHttpHeaders
}

/** The part of a request to the file network that admission checks. */
export interface FileAdmissionRequest {
  /** `pin/add`. */
  operation: string
  headers: IncomingHttpHeaders
}

/** The outcome of admission: the caller, or the response that refuses it. */
export type AdmissionResult<Who> = { caller: Who; refusal?: undefined } | { refusal: Refusal }

/** Who uses the file network. */
export interface FileCaller {
  /** Undefined where no credentials are needed. */
  key: ApiKey | undefined
  /** Whether the journal and the usage leave the request out. */
  unrecorded?: boolean
}

/** Who gets in and what exists; the modes are described in the guide of the provider. */
export type Mode = 'open' | 'guarded' | 'strict'

/** What admission depends on. */
export interface AdmissionSettings {
  mode: Mode
  keys: KeyStore
  /** Origins of web pages that are let in like loopback ones; `*` is all. */
  allowedOrigins: readonly string[]
  /** Whether the file network wants no credentials in guarded mode. */
  filesWithoutCredentials: boolean
  /** Whether a key's secret overrides its allowlists. */
  secretOverridesAllowlists: (key: ApiKey) => boolean
  /** Told of each request that is refused. */
  onRefusal?: ((refused: RefusedRequest) => void) | undefined
}

/** A request that admission refused. */
export interface RefusedRequest {
  transport: 'http' | 'upgrade' | 'files'
  network: string | undefined
  /** As it was given, known or not. */
  key: string | undefined
  operation?: string
  refusal: Refusal
}

/** Judges a JSON-RPC request or a WebSocket upgrade: both are refused with the same words. */
export async function admitRpcRequest(
  settings: AdmissionSettings,
  entry: RpcAdmissionRequest,
): Promise<AdmissionResult<Caller>> {
  const { origin } = entry.headers
  const caller = createCaller(entry.network)
  caller.control = entry.control
  caller.unrecorded = entry.control && entry.headers['standin-journal'] === 'off'
  caller.keyLabel = entry.key === undefined ? undefined : maskKey(entry.key)
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

/** JSON-RPC takes the secret as password of an empty user name. */
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
    // The library is loaded with the first token.
    const { verifyToken } = await import('./token.js')
    caller.claims = await verifyToken(rules, token)
    if (caller.claims === undefined) return { refusal: tokenInvalid }
  }
  const isRequired = rules.required === 'all' || isListedPage(rules.lists, entry)
  if (caller.claims === undefined && isRequired) return { refusal: tokenInvalid }
  return admitPage(caller, key, entry)
}

/** Whether the page or program behind a request is one that needs a token. */
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

/** The operations that the hosted file network has. */
const hostedOperations: ReadonlySet<string> = new Set([
  ...['add', 'cat', 'get', 'version'],
  ...['block/get', 'block/put', 'block/stat'],
  ...['dag/get', 'dag/put', 'dag/import', 'dag/resolve'],
  ...['pin/add', 'pin/ls', 'pin/rm', 'pin/update'],
])

/** Judges a request to the file network, in the order credentials, settings of the key. */
export function admitFileRequest(
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
 * Kubo's rule for web pages, with every loopback origin allowed instead of its own port's alone: a browser
 * must say where its page is from (kubo: go-ipfs-cmds http/handler.go, allowOrigin, allowReferer, allowUserAgent).
 */
function isKnownPage(settings: AdmissionSettings, headers: IncomingHttpHeaders): boolean {
  const { origin, referer } = headers
  if (origin === undefined && referer === undefined) {
    return !(headers['user-agent'] ?? '').startsWith('Mozilla')
  }
  const pages = [origin, referer === undefined ? undefined : originOf(referer)]
  return pages.every((page) => page === undefined || isOwnOrigin(settings.allowedOrigins, page))
}

function originOf(referer: string): string {
  return URL.canParse(referer) ? new URL(referer).origin : 'null'
}
