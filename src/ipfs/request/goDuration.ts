import { FileNetworkError } from '../errors.js'
import { bytesOfText } from '../../encoding/byteText.js'

/** The micro sign and the Greek mu look the same and both name microseconds (Go, `time.ParseDuration`). */
const unitsInNanoseconds = new Map([
  ['ns', 1n],
  ['us', 1000n],
  ['\u00b5s', 1000n],
  ['\u03bcs', 1000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
])
/** The longest duration: the maximum of an int64 of nanoseconds. */
const MAX_NANOSECONDS = 2n ** 63n - 1n
/** Its number of decimal digits. */
const MAX_DIGITS = 19

/**
 * Parses a Go duration such as `1m30s` or `250ms` to nanoseconds.
 *
 * @param prefix - prefix of error messages
 * @throws {@link FileNetworkError} with Go's message
 */
export function parseGoNanoseconds(text: string, prefix = ''): bigint {
  const fail = (problem: string): FileNetworkError =>
    new FileNetworkError(`${prefix}time: ${problem} duration ${quoteBytes(text)}`)
  const isNegative = text.startsWith('-')
  let rest = text.replace(/^[+-]/, '')
  if (rest === '0') return 0n
  if (rest === '') throw fail('invalid')
  let nanoseconds = 0n
  while (rest !== '') {
    const [matched, whole = '', fraction = '', unit = ''] =
      /^(?=\.?\d)(\d*)(?:\.(\d*))?([^.\d]*)/.exec(rest) ?? []
    if (matched === undefined) throw fail('invalid')
    if (unit === '') throw fail('missing unit in')
    const factor = unitsInNanoseconds.get(unit)
    if (factor === undefined) throw fail(`unknown unit ${quoteBytes(unit)} in`)
    const digits = whole.replace(/^0+/, '')
    if (digits.length > MAX_DIGITS) throw fail('invalid')
    const part = Number(fraction.slice(0, MAX_DIGITS - 1))
    nanoseconds +=
      BigInt(digits) * factor +
      BigInt(Math.trunc(part * (Number(factor) / 10 ** Math.min(fraction.length, MAX_DIGITS - 1))))
    if (nanoseconds > MAX_NANOSECONDS + (isNegative ? 1n : 0n)) throw fail('invalid')
    rest = rest.slice(matched.length)
  }
  return isNegative ? -nanoseconds : nanoseconds
}

/**
 * Parses a Go duration to milliseconds.
 *
 * @throws {@link FileNetworkError} with Go's message
 */
export function parseGoDuration(text: string, prefix = ''): number {
  return Number(parseGoNanoseconds(text, prefix)) / 1e6
}

/** Quotes text like Go's package `time`: escapes non-ASCII and control characters byte by byte. */
function quoteBytes(text: string): string {
  const escaped = [...bytesOfText(text)].map((byte) => {
    if (byte < 0x20 || byte >= 0x80) return `\\x${byte.toString(16).padStart(2, '0')}`
    const character = String.fromCharCode(byte)
    return character === '"' || character === '\\' ? `\\${character}` : character
  })
  return `"${escaped.join('')}"`
}
