import type { Caller } from '../caller.js'
import { createCaller } from '../caller.js'
import type { Allowlists, ApiKey } from '../keys/apiKey.js'
import { maskKey } from '../keys/apiKey.js'
import { parseBasicCredentials, parseBearerToken, secretsEqual } from './credentials.js'
import type { Admission, RpcEntry } from './admission.js'
import type { DoorSettings } from './settings.js'
import { isOwnOrigin, matchesOrigin } from './origin.js'
import type { Refusal } from './refusal.js'
import {
  accountDisabled,
  keyRequired,
  keyUnknown,
  networkRefused,
  secretWrong,
  settingsRefuse,
  tokenInvalid,
} from './refusal.js'

/** Judges a JSON-RPC request or a WebSocket upgrade: both are refused with the same words. */
export function admitRpcRequest(
  settings: DoorSettings,
  entry: RpcEntry,
): Admission<Caller> | Promise<Admission<Caller>> {
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
function proveSecret(key: ApiKey, entry: RpcEntry): 'right' | 'wrong' | 'missing' {
  const credentials = parseBasicCredentials(entry.headers.authorization)
  if (credentials === undefined) return 'missing'
  const isRight =
    key.secret !== undefined && credentials.user === '' && secretsEqual(credentials.password, key.secret)
  return isRight ? 'right' : 'wrong'
}

async function admitWithToken(caller: Caller, key: ApiKey, entry: RpcEntry): Promise<Admission<Caller>> {
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
function isListedPage({ origins, userAgents }: Allowlists, { headers }: RpcEntry): boolean {
  const isListedOrigin = headers.origin !== undefined && matchesOrigin(origins, headers.origin)
  return isListedOrigin || matchesUserAgent(userAgents, headers['user-agent'])
}

function admitPage(caller: Caller, key: ApiKey, entry: RpcEntry): Admission<Caller> {
  const refusal = caller.trusted ? undefined : refusePage(caller, key, entry)
  return refusal === undefined ? { caller } : { refusal }
}

function refusePage({ claims }: Caller, { allowlists }: ApiKey, { headers }: RpcEntry): Refusal | undefined {
  const origins = claims?.origins.length ? claims.origins : allowlists.origins
  if (origins.length > 0 && !matchesOrigin(origins, headers.origin ?? '')) return settingsRefuse
  const userAgents = claims?.userAgents.length ? claims.userAgents : allowlists.userAgents
  if (userAgents.length > 0 && !matchesUserAgent(userAgents, headers['user-agent'])) return settingsRefuse
  return undefined
}

function matchesUserAgent(parts: readonly string[], userAgent = ''): boolean {
  return parts.some((part) => userAgent.includes(part))
}
