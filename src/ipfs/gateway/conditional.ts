import type { ByteRange } from '../unixfs/readFile.js'
import { GatewayError } from './errors.js'

/** Whether an `If-None-Match` header names an ETag, by weak comparison (RFC 9110, 13.1.2). */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  if (header.trim() === '*') return true
  const wanted = etag.replace(/^W\//, '')
  return [...header.matchAll(/(?:W\/)?("[^"]*")/g)].some(([, tag]) => tag === wanted)
}

/**
 * The part of a file that a `Range` header asks for; undefined for all of it, also where the header makes no sense, as
 * RFC 9110, 14.2 allows. Of several ranges it is the first that lies in the file; where all of them have more bytes than
 * the file, it is all of it (boxo, `gateway/serve_http_content.go`).
 *
 * @throws {@link GatewayError} with status 416 when every range begins behind the end
 */
export function readRange(
  headers: Readonly<Record<string, string | undefined>>,
  etag: string,
  size: number,
): ByteRange | undefined {
  const { range, 'if-range': condition } = headers
  if (range === undefined || (condition !== undefined && condition !== etag)) return undefined
  const [, list] = /^bytes=(.*)$/.exec(range) ?? []
  const specs = list?.split(',').map((spec) => spec.trim()) ?? []
  const asked = specs.filter((spec) => spec !== '').map((spec) => parseSpec(spec, size))
  if (asked.length === 0 || asked.includes(undefined)) return undefined
  const ranges = asked.filter((found) => found !== undefined && found.start < found.end)
  if (ranges.length === 0) {
    throw new GatewayError(416, 'invalid range: failed to overlap', { 'Content-Range': `bytes */${size}` })
  }
  const total = ranges.reduce((sum, found) => sum + (found ? found.end - found.start : 0), 0)
  return total > size ? undefined : ranges[0]
}

/** A range within a file of some bytes, empty where it lies behind its end; undefined for what is none. */
function parseSpec(spec: string, size: number): ByteRange | undefined {
  const [, first = '', last = ''] = /^(\d*)\s*-\s*(\d*)$/.exec(spec) ?? []
  if (first === '') return last === '' ? undefined : { start: Math.max(0, size - Number(last)), end: size }
  if (last !== '' && Number(last) < Number(first)) return undefined
  return { start: Number(first), end: last === '' ? size : Math.min(size, Number(last) + 1) }
}
