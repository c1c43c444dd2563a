import type { CID } from 'multiformats/cid'
import { codecCode } from '../cid/cidFormat.js'
import type { UnixfsTime } from '../unixfs/data.js'
import type { ByteRange } from '../unixfs/readFile.js'
import { GatewayError } from './headers.js'
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
function refersToThis(condition: string, described: Readonly<Record<string, string>>): boolean {
  if (/^(W\/)?"/.test(condition)) return condition === described['ETag']
  const modified = described['Last-Modified']
  return modified !== undefined && dateOf(condition) === Date.parse(modified)
}

/** A range of a `Range` header: from a byte to another one, or to the end; or the last bytes of the file. */
type AskedRange = { first: number; last: number | undefined } | { suffix: number }

/** A `Range` header that is none (RFC 9110, 14.1.1). */
export class InvalidRangeError extends GatewayError {
  constructor() {
    super(416, 'invalid range')
  }
}

/**
 * The ranges that a `Range` header names (boxo, `gateway/serve_http_content.go`).
 *
 * @throws {@link InvalidRangeError} when it makes no sense
 */
export function parseRanges(header: string): AskedRange[] {
  const [, list] = /^bytes=(.*)$/.exec(header) ?? []
  if (list === undefined) throw new InvalidRangeError()
  const specs = list.split(',').map((spec) => spec.trim())
  return specs.filter((spec) => spec !== '').map(parseSpec)
}

/**
 * Refuses a `Range` header that makes no sense (boxo, `gateway/handler_defaults.go`).
 *
 * @param described - headers that the refusal keeps
 * @throws {@link GatewayError} with status 400
 */
export function checkRange(header: string | undefined, described: Record<string, string> = {}): void {
  try {
    if (header !== undefined) parseRanges(header)
  } catch (error) {
    if (!(error instanceof InvalidRangeError)) throw error
    throw new GatewayError(400, `invalid range request: ${error.message}`, described)
  }
}

function parseSpec(spec: string): AskedRange {
  const [, first = '', last = ''] = /^(\d*)\s*-\s*(\d*)$/.exec(spec) ?? []
  if (first === '' && last === '') throw new InvalidRangeError()
  // More than 63 bits are no number to Go.
  if ([first, last].some((digits) => BigInt(digits) >= 2n ** 63n)) throw new InvalidRangeError()
  if (first === '') return { suffix: Number(last) }
  if (last !== '' && Number(last) < Number(first)) throw new InvalidRangeError()
  return { first: Number(first), last: last === '' ? undefined : Number(last) }
}

/**
 * The part of a file that a `Range` header asks for; undefined for all of it. Of several ranges it is the first that lies
 * in the file; where all of them have more bytes than the file, it is all of it. Of an empty file every range is all of it
 * (boxo, `gateway/serve_http_content.go`).
 *
 * @throws {@link GatewayError} with status 416 when the header makes no sense, or every range begins behind the end
 */
export function readRange(
  headers: Readonly<Record<string, string | undefined>>,
  described: Readonly<Record<string, string>>,
  size: number,
): ByteRange | undefined {
  const { range, 'if-range': condition } = headers
  if (range === undefined || (condition && !refersToThis(condition, described))) return undefined
  const asked = parseAsked(range, described)
  if (asked.length === 0 || size === 0) return undefined
  const ranges = asked.map((one) => within(one, size)).filter(({ start, end }) => start < end)
  if (ranges.length === 0) {
    throw new GatewayError(416, 'invalid range: failed to overlap', {
      ...described,
      'Content-Range': `bytes */${size}`,
    })
  }
  const total = ranges.reduce((sum, { start, end }) => sum + end - start, 0)
  return total > size ? undefined : ranges[0]
}

function parseAsked(range: string, described: Readonly<Record<string, string>>): AskedRange[] {
  try {
    return parseRanges(range)
  } catch (error) {
    throw error instanceof InvalidRangeError ? new GatewayError(416, error.message, described) : error
  }
}

/** The bytes of a file that a range means; none where it lies behind the end. */
function within(asked: AskedRange, size: number): ByteRange {
  if ('suffix' in asked) return { start: Math.max(0, size - asked.suffix), end: size }
  return { start: asked.first, end: asked.last === undefined ? size : Math.min(size, asked.last + 1) }
}

/** What a `Content-Range` header says of a part of a file. */
export function contentRange({ start, end }: ByteRange, size: number): string {
  return `bytes ${start}-${end - 1}/${size}`
}
