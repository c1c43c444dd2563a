import { RpcError } from '../../rpc/errors.js'
import type { RefusalReply } from '../../rpc/errors.js'
import type { Caller } from '../caller.js'
import type { Refusal } from '../admission/refusal.js'
import { settingsRefuse, tokenInvalid } from '../admission/refusal.js'
import type { Allowlists } from '../keys/apiKey.js'

/** A call that the key's settings or its token rules refuse. */
class SettingsRefusedError extends RpcError {
  override readonly name = 'SettingsRefusedError'
  constructor(message: string, refusal: RefusalReply | undefined) {
    super(-32002, message, { ...(refusal && { refusal }) })
  }
}

/** How a call stands: alone in an HTTP request it is refused by an answer of its own. */
export interface CallPlace {
  method: string
  params: unknown
  alone: boolean
}

/** Whether the key's allowlists or token rules refuse a call. */
export function refuseBySettings(caller: Caller, call: CallPlace): RpcError | undefined {
  const { key, claims } = caller
  if (key === undefined) return undefined
  if (key.token?.required === 'listed' && claims === undefined && isListed(key.token.lists, call)) {
    return refuse('invalid JWT', tokenInvalid, call)
  }
  if (caller.trusted) return undefined
  const methods = choose(claims?.methods, key.allowlists.methods)
  const addresses = choose(claims?.addresses, key.allowlists.addresses)
  const isAllowed =
    (methods.length === 0 || methods.includes(call.method)) &&
    (addresses.length === 0 || addressesOf(call)?.every((address) => addresses.includes(address)) !== false)
  return isAllowed ? undefined : refuse('rejected due to project ID settings', settingsRefuse, call)
}

/** What a token lists stands in place of what the key lists. */
function choose(claimed: readonly string[] | undefined, own: readonly string[]): readonly string[] {
  return claimed !== undefined && claimed.length > 0 ? claimed : own
}

function refuse(message: string, refusal: Refusal, { alone }: CallPlace): RpcError {
  const { status, body, headers } = refusal
  const reply = { status, body, contentType: headers['content-type'] ?? 'text/plain' }
  return new SettingsRefusedError(message, alone ? reply : undefined)
}

function isListed(lists: Allowlists, call: CallPlace): boolean {
  const addresses = addressesOf(call)
  return (
    lists.methods.includes(call.method) ||
    (addresses ?? []).some((address) => lists.addresses.includes(address))
  )
}

/** Where the methods that an address list applies to have their address. */
const addressPlaces: Readonly<Record<string, 'to' | 'address' | 'first'>> = {
  eth_call: 'to',
  eth_estimateGas: 'to',
  eth_getLogs: 'address',
  eth_getBalance: 'first',
  eth_getCode: 'first',
  eth_getStorageAt: 'first',
  eth_getTransactionCount: 'first',
}

/**
 * The addresses that a call is about, in lower case; undefined if address lists do not apply to its method. A call
 * that names none, as a query for logs of all contracts does, is about one that no list holds (a choice of ours).
 */
function addressesOf({ method, params }: CallPlace): string[] | undefined {
  const place = Object.hasOwn(addressPlaces, method) ? addressPlaces[method] : undefined
  if (place === undefined) return undefined
  const first: unknown = Array.isArray(params) ? params[0] : undefined
  const value = place === 'first' ? first : memberOf(first, place)
  const values: unknown[] = Array.isArray(value) && value.length > 0 ? value : [value]
  return values.map((address) => (typeof address === 'string' ? address.toLowerCase() : ''))
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}
