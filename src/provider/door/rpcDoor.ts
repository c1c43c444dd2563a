import type { Caller } from '../caller.js'
import type { ApiKey } from '../keys/apiKey.js'
import { parseBasicCredentials, secretsEqual } from './credentials.js'
import type { Admission, DoorSettings, RpcEntry } from './door.js'
import { isOwnOrigin, matchesOrigin } from './origin.js'
import type { Refusal } from './refusal.js'
import {
  accountDisabled,
  keyRequired,
  keyUnknown,
  networkRefused,
  secretWrong,
  settingsRefuse,
} from './refusal.js'

/** Judges a JSON-RPC request or a WebSocket upgrade: both are refused with the same words. */
export function admitRpcRequest(settings: DoorSettings, entry: RpcEntry): Admission<Caller> {
  const { origin } = entry.headers
  const caller: Caller = {
    network: entry.network,
    key: undefined,
    control: entry.control,
    foreignOrigin: origin !== undefined && !isOwnOrigin(settings.allowedOrigins, origin),
    trusted: false,
    failover: entry.headers['enable-failover'] === 'true',
  }
  if (settings.mode === 'open' || entry.control) return { caller }
  if (entry.key === undefined || entry.trailing) return { refusal: keyRequired }
  const key = settings.keys.get(entry.key)
  if (key === undefined) return { refusal: keyUnknown }
  const credentials = parseBasicCredentials(entry.headers.authorization)
  const trusted = credentials !== undefined && provesSecret(key, credentials)
  const refusal = refuseKey(key, entry, { given: credentials !== undefined, trusted })
  return refusal === undefined ? { caller: { ...caller, key, trusted } } : { refusal }
}

/** JSON-RPC takes the secret as password of an empty user name. */
function provesSecret(key: ApiKey, credentials: { user: string; password: string }): boolean {
  return key.secret !== undefined && credentials.user === '' && secretsEqual(credentials.password, key.secret)
}

function refuseKey(
  key: ApiKey,
  entry: RpcEntry,
  secret: { given: boolean; trusted: boolean },
): Refusal | undefined {
  if (key.disabled) return accountDisabled
  if (secret.given && !secret.trusted) return secretWrong
  if (key.networks !== undefined && !key.networks.includes(entry.network))
    return networkRefused(entry.network)
  if (key.requireSecret && !secret.given) return settingsRefuse
  const { origins, userAgents } = key.allowlists
  if (origins.length > 0 && !matchesOrigin(origins, entry.headers.origin ?? '')) return settingsRefuse
  const userAgent = entry.headers['user-agent'] ?? ''
  if (userAgents.length > 0 && !userAgents.some((part) => userAgent.includes(part))) return settingsRefuse
  return undefined
}
