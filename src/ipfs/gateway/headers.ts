import { joinBytes } from '../../encoding/hex.js'
import { type CommandReply, headerText } from '../request/reply.js'
import { encodeEscapes } from '../../encoding/byteText.js'
import type { GatewayRequest, GatewayTarget, ResolvedTarget } from './request.js'

/** Headers that let pages of other origins read an answer. */
export const openHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET, HEAD, OPTIONS',
  'Access-Control-Allow-Headers': 'Content-Type, Range, User-Agent, X-Requested-With',
  'Access-Control-Expose-Headers':
    'Content-Length, Content-Range, X-Chunked-Output, X-Ipfs-Path, X-Ipfs-Roots, X-Stream-Output',
}

/** Answers 304: the client's copy is current. */
export function notModified(headers: Record<string, string> = {}): CommandReply {
  return { status: 304, headers, body: new Uint8Array() }
}

/** Answers 412: the client's precondition failed. */
export function preconditionFailed(headers: Readonly<Record<string, string>>): CommandReply {
  return { status: 412, headers: { ...headers }, body: new Uint8Array() }
}

/** A request that the gateway rejects or redirects. */
export class GatewayError extends Error {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, message: string, headers: Record<string, string> = {}) {
    super(message)
    this.status = status
    this.headers = headers
  }
}

/** Nothing is served at a path, which Go's server says in plain text to browsers too. */
export class PageNotFoundError extends GatewayError {
  constructor() {
    super(404, '404 page not found')
  }
}

/**
 * A path is not clean. Its redirect is closed to pages of other origins, because Go's server makes it before Kubo adds
 * headers.
 */
export class UncleanPathError extends GatewayError {
  constructor(location: string) {
    super(307, 'moved to the cleaned path', { Location: location })
  }
}

/** `Cache-Control` of content-addressed answers: 48 weeks. */
const immutable = 'public, max-age=29030400, immutable'

/** Returns the header with the requested path. */
export function pathHeader({ contentPath }: Pick<GatewayTarget, 'contentPath'>): Record<string, string> {
  return { 'X-Ipfs-Path': headerText(contentPath) }
}

/** Returns `Cache-Control`: answers under a name expire with it. If its TTL is unknown, returns nothing. */
export function cacheHeader({
  ttlMilliseconds,
}: Pick<GatewayTarget, 'ttlMilliseconds'>): Record<string, string> {
  if (ttlMilliseconds === undefined) return { 'Cache-Control': immutable }
  return ttlMilliseconds > 0
    ? { 'Cache-Control': `public, max-age=${Math.floor(ttlMilliseconds / 1000)}` }
    : {}
}

/**
 * Returns `Cache-Control` of a page that lists a directory: a week, since its form may change, or as long as its name.
 */
export function listingCacheHeader({
  ttlMilliseconds = 604_800_000,
}: Pick<GatewayTarget, 'ttlMilliseconds'>): Record<string, string> {
  if (ttlMilliseconds <= 0) return {}
  const seconds = Math.floor(ttlMilliseconds / 1000)
  return { 'Cache-Control': `public, max-age=${seconds}, stale-while-revalidate=2678400` }
}

/**
 * Returns `Last-Modified` for content under a name: the time of change is unknown, so now (boxo,
 * `addCacheControlHeaders`).
 */
export function modifiedHeader({ name }: Pick<GatewayTarget, 'name'>): Record<string, string> {
  return name === undefined ? {} : { 'Last-Modified': new Date().toUTCString() }
}

/** Returns the header that lists the blocks on the path. */
export function rootsHeader({ roots }: Pick<ResolvedTarget, 'roots'>): Record<string, string> {
  return { 'X-Ipfs-Roots': roots.map(String).join(',') }
}

/** Whether the browser should show an answer or save it. */
export type DispositionKind = 'inline' | 'attachment'

/** Returns `Content-Disposition`; `filename` and `download` in the query override name and kind. */
export function contentDisposition(
  query: GatewayRequest['query'],
  options: { name: string; kind: DispositionKind },
): string {
  const kind = query.get('download') === 'true' ? 'attachment' : options.kind
  const name = query.get('filename') || options.name
  // eslint-disable-next-line no-control-regex -- as in boxo, control characters stay, and are escaped
  const ascii = escapePath(name.replace(/[^\x00-\x7f]/gu, '_'))
  const encoded = escapePath(name)
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${encoded}`
}

/** Escapes a decoded path like Go's `url.URL.EscapedPath`. */
export function escapeUrlPath(path: string): string {
  return escapePath(path).replace(/%(?:2C|2F|3B)/g, decodeURIComponent)
}

/** Escapes text like Go's `url.PathEscape`. */
export function escapePath(text: string): string {
  const escaped = encodeEscapes(text, encodeURIComponent).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return escaped.replace(/%(?:24|26|2B|3A|3D|40)/g, decodeURIComponent)
}

/** Streamed bodies up to this many bytes get a `Content-Length` (Go, `net/http`). */
const MEASURED_LENGTH = 2048

/** Buffers a short body, so that its length can be sent. */
export async function measured(
  body: AsyncGenerator<Uint8Array>,
): Promise<Uint8Array | AsyncGenerator<Uint8Array>> {
  const begun: Uint8Array[] = []
  for (let length = 0; length <= MEASURED_LENGTH;) {
    const { done, value } = await body.next()
    if (done) return joinBytes(begun)
    begun.push(value)
    length += value.length
  }
  return (async function* () {
    yield* begun
    yield* body
  })()
}
