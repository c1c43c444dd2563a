import { FileNetworkError } from '../errors.js'
import { goJson } from '../request/reply.js'
import type { Section, ValueKind } from './schema.js'

/** Go types, as named in its decoder's errors. */
export const goTypes: Partial<Record<ValueKind, string>> = {
  boolean: 'bool',
  integer: 'int',
  integer64: 'int64',
  optionalInteger: 'int64',
  priority: 'int64',
  strings: '[]string',
  any: 'interface {}',
  autoNatMode: 'config.AutoNATServiceMode',
  peers: '[]peer.AddrInfo',
  router: 'config.Router',
}

/** Go structures whose names differ from the keys that hold them (Kubo, `config/config.go`). */
const structNames: Readonly<Record<string, string>> = {
  'API.Authorizations.*': 'RPCAuthScope',
  AutoNAT: 'AutoNATConfig',
  'AutoNAT.Throttle': 'AutoNATThrottleConfig',
  Experimental: 'Experiments',
  'Gateway.PublicGateways.*': 'GatewaySpec',
  'Internal.Bitswap': 'InternalBitswap',
  'Internal.Bitswap.BroadcastControl': 'BitswapBroadcastControl',
  'Peering.Peers': 'Peering',
  'Pinning.RemoteServices.*': 'RemotePinningService',
  'Pinning.RemoteServices.*.API': 'RemotePinningServiceAPI',
  'Pinning.RemoteServices.*.Policies': 'RemotePinningServicePolicies',
  'Pinning.RemoteServices.*.Policies.MFS': 'RemotePinningServiceMFSPolicy',
  'Plugins.Plugins.*': 'Plugin',
  'Provide.DHT': 'ProvideDHT',
  Pubsub: 'PubsubConfig',
  'Routing.Methods.*': 'Method',
  'Routing.Routers.*': 'Router',
  Swarm: 'SwarmConfig',
  // These have no names.
  'Swarm.Transports.Multiplexers': '',
  'Swarm.Transports.Security': '',
}

/** Returns the name of the Go structure at a path. */
function structOf(path: string[]): string {
  return structNames[path.join('.')] ?? path.at(-1) ?? 'Config'
}

/** Go types of sections that do not follow from the names of structures (Kubo, `config/`). */
const sectionTypes: Readonly<Record<string, string>> = {
  'API.Authorizations': 'map[string]*config.RPCAuthScope',
  'Gateway.PublicGateways': 'map[string]*config.GatewaySpec',
  'Routing.Methods': 'config.Methods',
  'Routing.Routers': 'config.Routers',
  'Swarm.Transports.Multiplexers': structType(['Yamux'], 'config.Priority'),
  'Swarm.Transports.Network': structType(
    ['QUIC', 'TCP', 'Websocket', 'Relay', 'WebTransport', 'WebRTCDirect'],
    'config.Flag',
  ),
  'Swarm.Transports.Security': structType(['TLS', 'Noise'], 'config.Priority'),
}

/** Prints the type of a structure without a name. */
function structType(fields: readonly string[], type: string): string {
  return `struct { ${fields.map((field) => `${field} ${type} "json:\\",omitempty\\""`).join('; ')} }`
}

/** Returns the Go type of a section. */
export function typeOfSection(kind: Section, path: string[]): string {
  const named = sectionTypes[path.join('.')]
  if (named !== undefined) return named
  const below = kind['*']
  if (below === undefined) return `config.${structOf(path)}`
  const element = [...path, '*']
  const type = typeof below === 'string' ? (goTypes[below] ?? 'string') : typeOfSection(below, element)
  return `map[string]${type}`
}

/**
 * The value at a path is of the wrong type.
 *
 * @param path - the path in the schema; the message omits `*`, the keys of maps
 */
export function wrongType(value: unknown, path: string[], type: string): FileNetworkError {
  const section = structOf(path.at(-1) === '*' ? path.slice(0, -2) : path.slice(0, -1))
  const fields = path.filter((part) => part !== '*').join('.')
  const fraction = typeof value === 'number' && type.startsWith('int') ? ` ${goJson(value)}` : ''
  const name = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value
  return decodeFailure(
    `json: cannot unmarshal ${name}${fraction} into Go struct field ${section}.${fields} of type ${type}`,
  )
}

/** An error of Go's decoder. */
export function decodeFailure(reason: string): FileNetworkError {
  return new FileNetworkError(`failure to decode config: ${reason}`)
}
