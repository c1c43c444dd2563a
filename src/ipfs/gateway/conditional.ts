import type { CID } from 'multiformats/cid'
import { codecCode } from '../cid/cidFormat.js'
import type { CommandReply } from '../request/reply.js'
import { notModified, preconditionFailed } from './headers.js'
import type { GatewayFormat, GatewayRequest } from './request.js'

/**
 * Whether an `If-None-Match` header names one of some ETags, by weak comparison (RFC 9110, 13.1.2). What follows
 * something that is no ETag does not count (Go, `net/http/fs.go`).
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

/** Formats of data by their codecs: what such blocks are sent as where no format is asked for. */
const formatOfCodec = new Map<number, string>([
  [codecCode.json, 'json'],
  [codecCode.cbor, 'cbor'],
  [codecCode.dagJson, 'dag-json'],
  [codecCode.dagCbor, 'dag-cbor'],
])

/** The ETags that what a path leads to may have in a form (boxo, `getEtag`, `getDirListingEtag`). */
export function etagsOf(cid: CID, format: GatewayFormat): string[] {
  if (format === 'tar') return [`W/"${cid}.x-tar"`]
  const form = format === 'content' ? formatOfCodec.get(cid.code) : format
  return [form === undefined ? `"${cid}"` : `"${cid}.${form}"`, listingEtag(cid)]
}

/** The ETag of a page that lists a directory; the number is that of the page's form. */
export function listingEtag(cid: CID): string {
  return `"DirIndex-standin1_CID-${cid}"`
}

/** A date as HTTP writes it, and the obsolete forms of RFC 850 and ANSI C (RFC 9110, 5.6.7). */
const dateForms = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]+day, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
]

/** Milliseconds since 1970 of a date of HTTP; undefined for a text that is none, and where there is none. */
function dateOf(text = ''): number | undefined {
  if (!dateForms.some((form) => form.test(text))) return undefined
  const date = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
  return Number.isNaN(date) ? undefined : date
}

/**
 * The answer to a client that wants content only while it is what it knows, or only if it is not
 * (RFC 9110, 13.2.2; boxo, `gateway/serve_http_content.go`); undefined where it is to be served.
 *
 * @param described - the headers of the answer, of which `ETag` and `Last-Modified` count
 */
export function conditionalReply(
  conditions: GatewayRequest['headers'],
  described: Readonly<Record<string, string>>,
): CommandReply | undefined {
  if (failsPrecondition(conditions, described)) return preconditionFailed(described)
  return isUnmodified(conditions, described) ? notModified(aboutCaching(described)) : undefined
}

/** Whether content was to be sent only while it is what the client knows, and it is not. */
function failsPrecondition(
  { 'if-match': etags, 'if-unmodified-since': since }: GatewayRequest['headers'],
  { ETag: etag = '', 'Last-Modified': modified }: Readonly<Record<string, string>>,
): boolean {
  if (etags) return etag.startsWith('W/') || !matchesEtag(etags.replace(/W\/"[^"]*"/g, ''), etag)
  const [limit, last] = [dateOf(since), dateOf(modified)]
  return limit !== undefined && last !== undefined && last > limit
}

/** Whether content was to be sent only if it is not what the client knows, and it is. */
function isUnmodified(
  { 'if-none-match': etags, 'if-modified-since': since }: GatewayRequest['headers'],
  { ETag: etag = '', 'Last-Modified': modified }: Readonly<Record<string, string>>,
): boolean {
  if (etags) return matchesEtag(etags, etag)
  const [limit, last] = [dateOf(since), dateOf(modified)]
  return limit !== undefined && last !== undefined && last <= limit
}

/** Of the headers of an answer those that stay where it has no content (RFC 9110, 15.4.5). */
function aboutCaching(described: Readonly<Record<string, string>>): Record<string, string> {
  const left = ['Content-Type', 'Content-Length', 'Last-Modified']
  return Object.fromEntries(Object.entries(described).filter(([name]) => !left.includes(name)))
}

/** Whether a part is asked for only of what the client has of it already (RFC 9110, 13.1.5). */
export function refersToThis(condition: string, described: Readonly<Record<string, string>>): boolean {
  const [tag] = /^(W\/)?"[\x21\x23-\x7e\x80-\uffff]*"/.exec(condition) ?? []
  if (tag !== undefined) return tag === described['ETag'] && !tag.startsWith('W/')
  const modified = dateOf(described['Last-Modified'])
  return modified !== undefined && dateOf(condition) === modified
}
