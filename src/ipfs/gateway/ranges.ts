import type { ByteRange } from '../unixfs/readFile.js'
import { matchesIfRange } from './conditional.js'
import { GatewayError } from './headers.js'

/** One range of a `Range` header: from `first` to `last` (or the end), or the last `suffix` bytes. */
type AskedRange = { first: number; last: number | undefined } | { suffix: number }

/** A malformed `Range` header (RFC 9110, 14.1.1). */
class InvalidRangeError extends GatewayError {
  constructor() {
    super(416, 'invalid range')
  }
}

/**
 * Parses a `Range` header (boxo, `gateway/serve_http_content.go`).
 *
 * @param size - of the file; the last byte of a range that begins past its end is not parsed
 * @throws {@link InvalidRangeError} for a malformed header
 */
function parseRanges(header: string, size = Infinity): AskedRange[] {
  const [, list] = /^bytes=(.*)$/.exec(header) ?? []
  if (list === undefined) throw new InvalidRangeError()
  const specs = list.split(',').map((spec) => spec.trim())
  return specs.filter((spec) => spec !== '').map((spec) => parseSpec(spec, size))
}

/**
 * Rejects a malformed `Range` header (boxo, `gateway/handler_defaults.go`).
 *
 * @param described - headers to keep in the error
 * @throws {@link GatewayError} with status 400
 */
export function checkRange(header: string | undefined, described: Record<string, string> = {}): void {
  try {
    if (header) parseRanges(header)
  } catch (error) {
    if (!(error instanceof InvalidRangeError)) throw error
    throw new GatewayError(400, `invalid range request: ${error.message}`, described)
  }
}

/** Whether the first of the ranges in a well-formed header does not begin with the first byte. */
export function isFromMiddle(header: string | undefined): boolean {
  const [first] = header ? parseRanges(header) : []
  return first !== undefined && ('suffix' in first ? first.suffix : first.first) > 0
}

function parseSpec(spec: string, size: number): AskedRange {
  const [, first = '', last] = /^(\S*?)\s*-\s*(.*)$/s.exec(spec) ?? []
  if (last === undefined) throw new InvalidRangeError()
  if (first === '') return { suffix: parsePosition(last) }
  const start = parsePosition(first)
  if (start >= size || last === '') return { first: start, last: undefined }
  const end = parsePosition(last)
  if (end < start) throw new InvalidRangeError()
  return { first: start, last: end }
}

/** Parses a number of at most 63 bits, as Go does. */
function parsePosition(digits: string): number {
  if (!/^\+?\d+$/.test(digits) || BigInt(digits.replace('+', '')) >= 2n ** 63n) throw new InvalidRangeError()
  return Number(digits)
}

/**
 * Returns the range of a file to serve; undefined for all of it. Of several ranges, serves the first that overlaps the
 * file; if their total exceeds the file, all of it. An empty file is always served whole (boxo,
 * `gateway/serve_http_content.go`).
 *
 * @throws {@link GatewayError} with status 416 if the header is malformed or every range starts past the end
 */
export function readRange(
  headers: Readonly<Record<string, string | undefined>>,
  described: Readonly<Record<string, string>>,
  size: number,
): ByteRange | undefined {
  const { range, 'if-range': condition } = headers
  if (!range || (condition && !matchesIfRange(condition, described))) return undefined
  const asked = parseAsked(range, described, size)
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

function parseAsked(range: string, described: Readonly<Record<string, string>>, size: number): AskedRange[] {
  try {
    return parseRanges(range, size)
  } catch (error) {
    throw error instanceof InvalidRangeError ? new GatewayError(416, error.message, described) : error
  }
}

/** Clips a range to the file; empty if it starts past the end. */
function within(asked: AskedRange, size: number): ByteRange {
  if ('suffix' in asked) return { start: Math.max(0, size - asked.suffix), end: size }
  return { start: asked.first, end: asked.last === undefined ? size : Math.min(size, asked.last + 1) }
}

/** Formats a `Content-Range` header. */
export function contentRange({ start, end }: ByteRange, size: number): string {
  return `bytes ${start}-${end - 1}/${size}`
}
