import type { CID } from 'multiformats/cid'
import { codecCode } from '../cid/cidFormat.js'
import type { UnixfsTime } from '../unixfs/data.js'
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

/** A date as HTTP writes it (RFC 9110, 5.6.7). */
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} [A-Z]{3,4}$/
/** The obsolete forms of it, of RFC 850 and of ANSI C. */
const obsoleteDates = [
  /^[A-Z][a-z]+day, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
]

/** Whether content has not changed since a client got it (RFC 9110, 13.1.3). */
export function isUnmodified(
  { 'if-none-match': etags, 'if-modified-since': since = '' }: GatewayRequest['headers'],
  modified: UnixfsTime | undefined,
): boolean {
  if (etags !== undefined || modified === undefined || modified.seconds === 0n) return false
  if (!obsoleteDates.some((form) => form.test(since))) return false
  const date = since.endsWith('GMT') ? since : `${since} GMT`
  return Number(modified.seconds) * 1000 <= Date.parse(date)
}

/**
 * Whether a file or directory has not changed, by the modification time that its root has, whatever the form in which it
 * is asked for (boxo, `handleIfModifiedSince`).
 */
export function isRootUnmodified(
  { 'if-modified-since': since = '' }: GatewayRequest['headers'],
  modified: UnixfsTime | undefined,
): boolean {
  return (
    modified !== undefined && httpDate.test(since) && Number(modified.seconds) * 1000 <= Date.parse(since)
  )
}

/** Whether a date of HTTP, in any form that Go reads, is one. */
function dateOf(text: string): number | undefined {
  const isDate = httpDate.test(text) || obsoleteDates.some((form) => form.test(text))
  return isDate ? Date.parse(text.endsWith('GMT') ? text : `${text} GMT`) : undefined
}

/**
 * Whether a client asked for content only while it is what it knows, and it is not (RFC 9110, 13.1.1 and 13.1.4).
 *
 * @param described - the headers of the answer, of which `ETag` and `Last-Modified` count
 */
export function failsPrecondition(
  { 'if-match': etags = '', 'if-unmodified-since': since = '' }: GatewayRequest['headers'],
  described: Readonly<Record<string, string>>,
): boolean {
  if (etags !== '') {
    const own = described['ETag'] ?? ''
    return own.startsWith('W/') || !matchesEtag(etags, own)
  }
  const limit = dateOf(since)
  const modified = described['Last-Modified']
  return limit !== undefined && modified !== undefined && Date.parse(modified) > limit
}

/** Whether a part is asked for only of what the client has of it already (RFC 9110, 13.1.5). */
export function refersToThis(condition: string, described: Readonly<Record<string, string>>): boolean {
  if (/^(W\/)?"/.test(condition)) return condition === described['ETag']
  const modified = described['Last-Modified']
  return modified !== undefined && dateOf(condition) === Date.parse(modified)
}
