import { hostWithoutPort } from '../provider/admission/origin.js'

/** What a path says about a JSON-RPC request or a WebSocket upgrade. */
export interface RpcRoute {
  network: string
  /** The segment behind `v3`. */
  key: string | undefined
  /** Whether the path goes on behind the key, if only by a slash. */
  trailing: boolean
  /** `root`: nothing but the network; `v3`, `ws`: the provider's paths; `control`: the controls' own. */
  form: 'root' | 'v3' | 'ws' | 'control'
}

/** Which networks there are, and under which domain they answer by Host. */
export interface NetworkNames {
  all: ReadonlySet<string>
  /** The network of paths that name none. */
  standard: string
  domain: string | undefined
}

/**
 * Finds out which network and key a request is for; undefined if the path is none of JSON-RPC's.
 *
 * Networks are named by the first segment, `/sepolia/v3/KEY`, or by the host, `sepolia.localhost`.
 *
 * @param target the request's target as it came, with its query.
 */
export function parseRpcRoute(
  names: NetworkNames,
  target: string,
  host: string | undefined,
): RpcRoute | undefined {
  const query = target.indexOf('?')
  const segments = (query < 0 ? target : target.slice(0, query)).split('/').slice(1)
  if (segments[0] === '_standin') return parseControlRoute(names, segments)
  const first = segments[0] ?? ''
  const named = names.all.has(first)
  const network = named ? first : networkOfHost(names, host)
  const rest = named ? segments.slice(1) : segments
  if (rest.length === 0 || (rest.length === 1 && rest[0] === '')) {
    return { network, key: undefined, trailing: false, form: 'root' }
  }
  if (rest[0] === 'v3') return parseKeyed(network, rest.slice(1), 'v3')
  if (rest[0] === 'ws' && rest[1] === 'v3') return parseKeyed(network, rest.slice(2), 'ws')
  return undefined
}

/** The patterns of all paths that {@link parseRpcRoute} knows. */
export function rpcPaths({ all }: NetworkNames): string[] {
  const keyed = ['/v3', '/ws/v3'].flatMap((path) => [path, `${path}/`, `${path}/:key`, `${path}/:key/`])
  const named = [...all].flatMap((name) => ['', '/', ...keyed].map((path) => `/${name}${path}`))
  return ['/', ...keyed, ...named, '/_standin/rpc', '/_standin/rpc/:network']
}

/** `/_standin/rpc`, and `/_standin/rpc/NETWORK` for the controls of another network. */
function parseControlRoute(names: NetworkNames, segments: readonly string[]): RpcRoute | undefined {
  const [, rpc, network = names.standard, ...more] = segments
  if (rpc !== 'rpc' || more.length > 0 || !names.all.has(network)) return undefined
  return { network, key: undefined, trailing: false, form: 'control' }
}

function parseKeyed(network: string, segments: readonly string[], form: 'v3' | 'ws'): RpcRoute | undefined {
  const [key, ...more] = segments
  if (more.length > 1 || (more[0] ?? '') !== '') return undefined
  return { network, key: key === '' ? undefined : key, trailing: more.length > 0, form }
}

function networkOfHost(names: NetworkNames, host: string | undefined): string {
  if (host === undefined) return names.standard
  const name = hostWithoutPort(host).toLowerCase()
  const label = name.slice(0, Math.max(0, name.indexOf('.')))
  if (!names.all.has(label)) return names.standard
  const parent = name.slice(label.length + 1)
  return parent === 'localhost' || parent === names.domain ? label : names.standard
}
