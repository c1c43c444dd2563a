import { joinBytes } from '../../encoding/hex.js'
import { type CommandReply, headerText } from '../request/reply.js'
import type { GatewayRequest, GatewayTarget, ResolvedTarget } from './request.js'

/** The answer to a client that has the content already. */
export function notModified(headers: Record<string, string> = {}): CommandReply {
  return { status: 304, headers, body: new Uint8Array() }
}

/** The answer to a client that wants content only while it is what it knows. */
export function preconditionFailed(headers: Readonly<Record<string, string>>): CommandReply {
  return { status: 412, headers: { ...headers }, body: new Uint8Array() }
}

/** A request that the gateway refuses or sends elsewhere. */
export class GatewayError extends Error {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, message: string, headers: Record<string, string> = {}) {
    super(message)
    this.status = status
    this.headers = headers
  }
}

/** How long what is named by its content may be kept: half a lifetime of the HTTP specification's year. */
export const immutable = 'public, max-age=29030400, immutable'

/** The header that names what was asked for. */
export function pathHeader({ contentPath }: Pick<GatewayTarget, 'contentPath'>): Record<string, string> {
  return { 'X-Ipfs-Path': headerText(contentPath) }
}

/** How long an answer may be kept: what a name stands for changes. Of a name that has no time nothing is said. */
export function cacheHeader({
  ttlMilliseconds,
}: Pick<GatewayTarget, 'ttlMilliseconds'>): Record<string, string> {
  if (ttlMilliseconds === undefined) return { 'Cache-Control': immutable }
  return ttlMilliseconds > 0
    ? { 'Cache-Control': `public, max-age=${Math.floor(ttlMilliseconds / 1000)}` }
    : {}
}

/** When content behind a name was changed last: nobody knows, so that it counts as new (boxo, `addCacheControlHeaders`). */
export function modifiedHeader({ name }: Pick<GatewayTarget, 'name'>): Record<string, string> {
  return name === undefined ? {} : { 'Last-Modified': new Date().toUTCString() }
}

/** The header that names the blocks on the way to content. */
export function rootsHeader({ roots }: Pick<ResolvedTarget, 'roots'>): Record<string, string> {
  return { 'X-Ipfs-Roots': roots.map(String).join(',') }
}

/** What the browser is told to do with an answer: to show it, or to save it. */
export type DispositionKind = 'inline' | 'attachment'

/** The `Content-Disposition` for a name and a kind, which `filename` and `download` in the query may change. */
export function contentDisposition(
  query: GatewayRequest['query'],
  options: { name: string; kind: DispositionKind },
): string {
  const kind = query.get('download') === 'true' ? 'attachment' : options.kind
  const name = query.get('filename') || options.name
  const ascii = escapePath(name.replace(/[^\x20-\x7e]/gu, '_'))
  const encoded = escapePath(name)
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${encoded}`
}

/** A decoded path as Go writes it into a URL (`url.URL.EscapedPath`). */
export function escapeUrlPath(path: string): string {
  return escapePath(path).replace(/%(?:2C|2F|3B)/g, decodeURIComponent)
}

/** Control characters for which Go has a letter. */
const letters: Readonly<Record<number, string>> = {
  7: 'a',
  8: 'b',
  9: 't',
  10: 'n',
  11: 'v',
  12: 'f',
  13: 'r',
}

/** Text as Go's `%q` shows it, without the quotes. */
export function escapeControls(text: string): string {
  // eslint-disable-next-line no-control-regex -- they are what is escaped
  return text.replace(/["\\\x00-\x1f\x7f]/g, (character) => {
    const code = character.charCodeAt(0)
    if (character === '"' || character === '\\') return `\\${character}`
    const letter = letters[code]
    return letter === undefined ? `\\x${code.toString(16).padStart(2, '0')}` : `\\${letter}`
  })
}

/** Text as Go's `%+q` shows it, without the quotes: what is no printable ASCII is escaped. */
export function escapeNonAscii(text: string): string {
  return escapeControls(text).replace(/[^\x20-\x7e]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0
    return code > 0xffff
      ? `\\U${code.toString(16).padStart(8, '0')}`
      : `\\u${code.toString(16).padStart(4, '0')}`
  })
}

/** Go's `url.PathEscape`. */
export function escapePath(text: string): string {
  const escaped = encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return escaped.replace(/%(?:24|26|2B|3A|3D|40)/g, decodeURIComponent)
}

/** Bytes of an answer up to which its length is told (Go, `net/http`). */
const MEASURED_LENGTH = 2048

/** A body as a whole if it is short, so that its length is told. */
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
