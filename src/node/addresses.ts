import { isIP } from 'node:net'

/** URLs of a node, as its users write them. */
export interface NodeUrls {
  /** JSON-RPC over HTTP, with a key. */
  url: string
  /** JSON-RPC over WebSocket, with a key. */
  wsUrl: string
  /** The file network, without `/api/v0`. */
  ipfsUrl: string
  /** The controls: health, journal, faults and more. */
  controlUrl: string
}

/** Components of a node's URLs. */
export interface AddressFacts {
  hosts: readonly string[]
  port: number
  /** Separate port of the file network; undefined if it uses only the main port. */
  ipfsPort: number | undefined
  /** The key to show. */
  key: string
  tls: boolean
}

/** Returns the URLs of the default network, or of another one. */
export function formatUrls(facts: AddressFacts, network?: string): NodeUrls {
  const host = formatHost(facts.hosts[0] ?? '127.0.0.1')
  const s = facts.tls ? 's' : ''
  const base = `${host}:${facts.port}${network === undefined ? '' : `/${network}`}`
  return {
    url: `http${s}://${base}/v3/${facts.key}`,
    wsUrl: `ws${s}://${base}/ws/v3/${facts.key}`,
    ipfsUrl: `http${s}://${host}:${facts.ipfsPort ?? facts.port}`,
    controlUrl: `http${s}://${host}:${facts.port}/_standin`,
  }
}

/** Returns the file network's multiaddresses (https://github.com/multiformats/multiaddr). */
export function formatMultiaddresses({ hosts, port, ipfsPort, tls }: AddressFacts): string[] {
  const ports = [ipfsPort, port].filter((listened) => listened !== undefined && listened !== 0)
  return ports.flatMap((listened) =>
    hosts.map((host) => `/${hostProtocol(host)}/${host}/tcp/${listened}${tls ? '/tls' : ''}/http`),
  )
}

function hostProtocol(host: string): string {
  const version = isIP(host)
  return version === 0 ? 'dns' : `ip${version}`
}

/** Formats a host; a wildcard address becomes its family's loopback address. */
function formatHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
