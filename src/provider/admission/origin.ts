import { isIPv4 } from 'node:net'

/** `<cid>.ipfs.localhost`: what is there is anybody's content, and no friend of the node. */
const gatewayName = /\.ip[fn]s\.localhost$/

/** Names and addresses that mean this machine, as the host of a URL writes them. */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase()
  if (gatewayName.test(name)) return false
  if (name === 'localhost' || name.endsWith('.localhost') || name === '[::1]' || name === '::1') return true
  return isIPv4(name) && name.startsWith('127.')
}

/** The host of a Host header or of an origin, without its port. */
export function hostWithoutPort(host: string): string {
  return host.replace(/:\d*$/, '')
}

/** Whether an origin is a page that this machine serves. */
function isLoopbackOrigin(origin: string): boolean {
  const host = /^https?:\/\/([^/]+)$/i.exec(origin)?.[1]
  return host !== undefined && isLoopbackHost(hostWithoutPort(host))
}

/** Whether an Origin header is one that a browser sends for a page: a scheme and a host, or `null` where it hides them. */
function isPageOrigin(origin: string): boolean {
  return origin === 'null' || /^[a-z][a-z0-9+.-]*:/i.test(origin)
}

/**
 * Whether an Origin header is that of a page of this machine, of one that the node's settings allow, or of no page at all:
 * titanoboa sends its name.
 */
export function isOwnOrigin(allowedOrigins: readonly string[], origin: string): boolean {
  return !isPageOrigin(origin) || isLoopbackOrigin(origin) || matchesOrigin(allowedOrigins, origin)
}

/**
 * Whether an origin is one of a list.
 *
 * An entry may leave out the scheme, and `*.` at its start stands for any subdomain; `*` is every origin.
 */
export function matchesOrigin(entries: readonly string[], origin: string): boolean {
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
