import { base32 } from 'multiformats/bases/base32'
import { base36 } from 'multiformats/bases/base36'
import { CID } from 'multiformats/cid'
import { codecCode } from '../cid/cidFormat.js'
import { tryParseCid } from '../cid/parseCid.js'
import { parseName } from '../names/keystore.js'
import { MAX_LABEL_LENGTH } from '../names/nameSystem.js'
import { GatewayError, PageNotFoundError, escapeUrlPath } from './headers.js'
import type { GatewayRequest } from './request.js'

/** A host name that names content: `<label>.ipfs.<domain>`. */
export interface Subdomain {
  /** A CID or a name; a DNS name may have several labels. */
  label: string
  namespace: 'ipfs' | 'ipns' | 'p2p'
  /** Includes the port. */
  domain: string
}

/**
 * Parses a subdomain; undefined for other hosts. Names below `localhost` are read as in Kubo; those of other domains
 * have one label before the namespace (boxo, `knownSubdomainDetails`).
 *
 * @throws {@link GatewayError} for a namespace without content here
 */
export function subdomainOf({ headers }: Pick<GatewayRequest, 'headers'>): Subdomain | undefined {
  const host = hostOf(headers)
  const [, label = '', namespace = '', domain = ''] =
    /^(.+)\.(ip[fn]s|ipld|p2p)\.(localhost(?::\d+)?)$/.exec(host) ??
    /^([^.]+)\.(ip[fn]s)\.(.+)$/.exec(host) ??
    []
  if (namespace === '') return undefined
  if (namespace !== 'ipfs' && namespace !== 'ipns' && namespace !== 'p2p') throw new PageNotFoundError()
  return { label, namespace, domain }
}

/** Returns the path root that a subdomain stands for, with an inlined DNS name expanded. */
export function rootOfSubdomain({ label, namespace }: Subdomain): string {
  const mayBeInlined = namespace === 'ipns' && label.includes('-') && !label.includes('.')
  const isInlined = mayBeInlined && tryParseCid(label) === undefined
  return `/${namespace}/${isInlined ? writtenOut(label) : label}`
}

/**
 * Expands `my-v--long-example-com` to `my.v-long.example.com`
 * (https://specs.ipfs.tech/http-gateways/subdomain-gateway/).
 */
function writtenOut(label: string): string {
  return label.replace(/--?/g, (dashes) => (dashes === '--' ? '-' : '.'))
}

/** Returns the host that the client requested, even behind a proxy. */
function hostOf(headers: GatewayRequest['headers']): string {
  return headers['x-forwarded-host'] || (headers['host'] ?? '')
}

/**
 * Redirects paths at `localhost` to the host of their CID, so that each has its own origin (boxo, `WithHostname`: the
 * only host with subdomains in Kubo unless configured otherwise).
 *
 * @throws {@link GatewayError} for a redirect
 */
export function redirectToSubdomain(path: string, request: GatewayRequest): void {
  const [, namespace = '', label = '', rest = ''] = /^\/(ip[fn]s|p2p)\/([^/]+)(.*)$/s.exec(path) ?? []
  if (!/^localhost(:\d+)?$/.test(hostOf(request.headers)) || label === '') return
  const canonical = canonicalLabel(namespace, label) ?? (namespace === 'ipfs' ? undefined : label)
  if (canonical !== undefined) throw movedToHost({ label: canonical, namespace, rest }, request)
}

/**
 * Redirects a label that is too long, or a key's name with another codec, to its canonical form.
 *
 * @throws {@link GatewayError} for a redirect
 */
export function redirectToLabel(
  { label, namespace, domain }: Subdomain,
  path: string,
  request: GatewayRequest,
): void {
  const cid = tryParseCid(label)
  if (cid === undefined) return
  if (label.length <= MAX_LABEL_LENGTH && !(namespace !== 'ipfs' && cid.code !== codecCode.libp2pKey)) return
  // Before its codec is changed.
  if (label.length > MAX_LABEL_LENGTH) checkLabel(cid.toV1().toString(base36))
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
    Location: `${scheme}://${label}.${namespace}.${domain}${path}${search === '?' ? '' : search}`,
  })
}

/**
 * Returns the label for a CID or a key's name, if it is one. Any CID is accepted as a key's name.
 *
 * @throws {@link GatewayError} if the label would be too long
 */
function canonicalLabel(namespace: string, label: string): string | undefined {
  const cid = namespace === 'ipfs' ? tryParseCid(label)?.toV1() : keyOf(label)
  if (cid === undefined) return undefined
  const inBase32 = cid.toString(base32)
  const canonical =
    namespace === 'ipfs' && inBase32.length <= MAX_LABEL_LENGTH ? inBase32 : cid.toString(base36)
  checkLabel(canonical)
  return canonical
}

/** @throws {@link GatewayError} if a label is too long */
function checkLabel(label: string): void {
  if (label.length <= MAX_LABEL_LENGTH) return
  throw new GatewayError(400, `CID incompatible with DNS label length limit of ${MAX_LABEL_LENGTH}: ${label}`)
}

function keyOf(label: string): CID | undefined {
  const cid = parseName(label) ?? tryParseCid(label)
  return cid && CID.createV1(codecCode.libp2pKey, cid.multihash)
}
