import type { CID } from 'multiformats/cid'
import { codecCode } from '../cid/cidFormat.js'
import type { CommandReply } from '../request/reply.js'
import { notModified, preconditionFailed } from './headers.js'
import type { GatewayFormat, GatewayRequest } from './request.js'

/**
 * Whether an `If-None-Match` header lists one of these ETags, by weak comparison (RFC 9110, 13.1.2). Parsing stops at
 * the first malformed ETag (Go, `net/http/fs.go`).
 */
export function matchesEtag(header: string | undefined, ...etags: string[]): boolean {
  const wanted = new Set(etags.map((etag) => etag.replace(/^W\//, '')))
  for (let rest = header ?? ''; ;) {
    rest = rest.replace(/^[\s,]+/, '')
    if (rest.startsWith('*')) return true
    const [whole, tag = ''] = /^(?:W\/)?("[\x21\x23-\x7e\x80-\uffff]*")/.exec(rest) ?? []
    if (whole === undefined) return false
    if (wanted.has(tag)) return true
    rest = rest.slice(whole.length)
  }
}

/** Default response formats by codec, for blocks of data. */
const formatOfCodec = new Map<number, string>([
  [codecCode.json, 'json'],
  [codecCode.cbor, 'cbor'],
  [codecCode.dagJson, 'dag-json'],
  [codecCode.dagCbor, 'dag-cbor'],
])

/** Returns the ETags under which a format of a CID may be known (boxo, `getEtag`, `getDirListingEtag`). */
export function etagsOf(cid: CID, format: GatewayFormat): string[] {
  if (format === 'tar') return [`W/"${cid}.x-tar"`]
  const form = format === 'content' ? formatOfCodec.get(cid.code) : format
  return [form === undefined ? `"${cid}"` : `"${cid}.${form}"`, listingEtag(cid)]
}

/** Returns the ETag of a directory listing; its number is the version of the page's template. */
export function listingEtag(cid: CID): string {
  return `"DirIndex-standin1_CID-${cid}"`
}

/** HTTP dates, with the obsolete forms of RFC 850 and ANSI C (RFC 9110, 5.6.7). */
const dateForms = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]+day, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
]

/** Parses an HTTP date to milliseconds since 1970; undefined if it is missing or malformed. */
function dateOf(text = ''): number | undefined {
  if (!dateForms.some((form) => form.test(text))) return undefined
  const date = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
  return Number.isNaN(date) ? undefined : date
}

/**
 * Answers a conditional request with 412 or 304 (RFC 9110, 13.2.2; boxo, `gateway/serve_http_content.go`); undefined if
 * the content must be served.
 *
 * @param described - headers of the full answer; only `ETag` and `Last-Modified` are used
 */
export function conditionalReply(
  conditions: GatewayRequest['headers'],
  described: Readonly<Record<string, string>>,
): CommandReply | undefined {
  if (failsPrecondition(conditions, described)) return preconditionFailed(described)
  return isUnmodified(conditions, described) ? notModified(withoutContentHeaders(described)) : undefined
}

/** Whether `If-Match` or `If-Unmodified-Since` fails. */
function failsPrecondition(
  { 'if-match': etags, 'if-unmodified-since': since }: GatewayRequest['headers'],
  { ETag: etag = '', 'Last-Modified': modified }: Readonly<Record<string, string>>,
): boolean {
  if (etags) return etag.startsWith('W/') || !matchesEtag(etags.replace(/W\/"[^"]*"/g, ''), etag)
  const [limit, last] = [dateOf(since), dateOf(modified)]
  return limit !== undefined && last !== undefined && last > limit
}

/** Whether `If-None-Match` or `If-Modified-Since` shows that the client is up to date. */
function isUnmodified(
  { 'if-none-match': etags, 'if-modified-since': since }: GatewayRequest['headers'],
  { ETag: etag = '', 'Last-Modified': modified }: Readonly<Record<string, string>>,
): boolean {
  if (etags) return matchesEtag(etags, etag)
  const [limit, last] = [dateOf(since), dateOf(modified)]
  return limit !== undefined && last !== undefined && last <= limit
}

/** Drops the headers that a 304 answer omits (RFC 9110, 15.4.5). */
function withoutContentHeaders(described: Readonly<Record<string, string>>): Record<string, string> {
  const left = ['Content-Type', 'Content-Length', 'Last-Modified']
  return Object.fromEntries(Object.entries(described).filter(([name]) => !left.includes(name)))
}

/** Whether an `If-Range` condition matches the current content (RFC 9110, 13.1.5). */
export function matchesIfRange(condition: string, described: Readonly<Record<string, string>>): boolean {
  const [tag] = /^(W\/)?"[\x21\x23-\x7e\x80-\uffff]*"/.exec(condition) ?? []
  if (tag !== undefined) return tag === described['ETag'] && !tag.startsWith('W/')
  const modified = dateOf(described['Last-Modified'])
  return modified !== undefined && dateOf(condition) === modified
}
