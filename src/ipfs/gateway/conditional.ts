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
 * The part of a file that a `Range` header asks for; undefined for all of it, also where there are several
 * ranges or the header makes no sense, as RFC 9110, 14.2 allows.
 *
 * @throws {@link GatewayError} with status 416 when the range begins behind the end
 */
export function readRange(
  headers: Readonly<Record<string, string | undefined>>,
  etag: string,
  size: number,
): ByteRange | undefined {
  const { range, 'if-range': condition } = headers
  if (range === undefined || (condition !== undefined && condition !== etag)) return undefined
  const match = /^bytes=\s*(\d*)-(\d*)\s*$/.exec(range)
  if (match === null) return undefined
  const [, first = '', last = ''] = match
  if (first === '' && last === '') return undefined
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size : Math.min(size, Number(last) + 1)
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined
  if (start >= size || start >= end) {
    throw new GatewayError(416, 'invalid range: failed to overlap', { 'Content-Range': `bytes */${size}` })
  }
  return { start, end }
}
