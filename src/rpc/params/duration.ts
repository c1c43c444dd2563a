const unitMilliseconds: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
}

/** Longest accepted text, in characters. */
const MAX_LENGTH = 1024

/** Go counts nanoseconds in 63 bits. */
const MAX_MILLISECONDS = 2 ** 63 / 1e6

/** The text is not a duration. */
export class DurationError extends Error {}

/** Quotes a text like Go: control characters and all beyond ASCII byte by byte (time.quote). */
function quoted(text: string): string {
  const escaped = text
    .replace(/["\\]/g, '\\$&')
    .replace(/[^\x20-\x7f]+/g, (characters) =>
      [...Buffer.from(characters)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join(''),
    )
  return `"${escaped}"`
}

/**
 * Parses a Go duration such as `1m30s` or `500ms` to milliseconds (Go: time.ParseDuration).
 *
 * @throws DurationError with Go's message
 */
export function parseDuration(text: string): number {
  const invalid = (): DurationError => new DurationError(`time: invalid duration ${quoted(text)}`)
  const sign = text.startsWith('-') ? -1 : 1
  if (text.length > MAX_LENGTH)
    throw new DurationError(`time: a duration of more than ${MAX_LENGTH} characters`)
  let rest = text.replace(/^[+-]/, '')
  if (rest === '0') return 0
  if (rest === '') throw invalid()
  let milliseconds = 0
  while (rest !== '') {
    const [whole = '', digits = ''] = /^(\d+\.?\d*|\.\d+)/.exec(rest) ?? []
    if (whole === '') throw invalid()
    rest = rest.slice(whole.length)
    const [unit = ''] = /^[^\d.]*/.exec(rest) ?? []
    if (unit === '') throw new DurationError(`time: missing unit in duration ${quoted(text)}`)
    const factor = unitMilliseconds[unit]
    if (factor === undefined) {
      throw new DurationError(`time: unknown unit ${quoted(unit)} in duration ${quoted(text)}`)
    }
    milliseconds += Number(digits) * factor
    if (milliseconds > MAX_MILLISECONDS) throw invalid()
    rest = rest.slice(unit.length)
  }
  return sign * milliseconds
}
