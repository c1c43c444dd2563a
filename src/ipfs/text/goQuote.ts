/** Text that Go's `%q` leaves as it is. */
const plain = /^[ !#-[\]-~]*$/
/** Characters that Go calls printable (strconv, `IsPrint`). */
const printable = /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u

/** Letters of the escapes of the control characters from {@link FIRST_LETTER} on. */
const letters = Buffer.from('abtnvfr')
const FIRST_LETTER = 7

/** How to escape text. */
interface EscapeOptions {
  /** Whether to escape everything but ASCII, like `%+q`. */
  ascii?: boolean
  /** The quote to escape; `"` by default. */
  quote?: string
}

/** Quotes text like Go's `%q`. Bytes that are not UTF-8 (see byteText.ts) become `\xff`. */
export function goQuote(text: string): string {
  return `"${goEscape(text)}"`
}

/** The most units that stand for a unit of text, as in `\u200b`. */
const MAX_UNITS = 6
const BACKSLASH = 0x5c
const [SMALL_X, SMALL_U, CAPITAL_U] = [0x78, 0x75, 0x55]
const hexDigits = Buffer.from('0123456789abcdef')

/** Escapes text like Go's `%q`, without the quotes. */
export function goEscape(text: string, { ascii = false, quote = '"' }: EscapeOptions = {}): string {
  if (plain.test(text) && (quote !== "'" || !text.includes(quote))) return text
  const isKept = ascii ? isPrintableAscii : isPrintable
  const quotePoint = quote.codePointAt(0)
  // Unit by unit: the message about a missing name may quote a megabyte of control characters.
  const units = new Uint16Array(MAX_UNITS * text.length)
  let length = 0
  for (let index = 0; index < text.length; index++) {
    const point = text.codePointAt(index) as number
    const letter = letters[point - FIRST_LETTER]
    if (point === quotePoint || point === BACKSLASH) {
      units[length++] = BACKSLASH
      units[length++] = point
    } else if (isKept(point)) {
      units[length++] = text.charCodeAt(index)
      if (point > 0xffff) units[length++] = text.charCodeAt(index + 1)
    } else if (letter !== undefined) {
      units[length++] = BACKSLASH
      units[length++] = letter
    } else if (point < 0x80) length = writeHex(units, length, SMALL_X, point, 2)
    else if (point >= 0xdc80 && point <= 0xdcff) length = writeHex(units, length, SMALL_X, point & 0xff, 2)
    else if (point > 0xffff) length = writeHex(units, length, CAPITAL_U, point, 8)
    else length = writeHex(units, length, SMALL_U, point, 4)
    if (point > 0xffff) index++
  }
  return Buffer.from(units.buffer, 0, 2 * length).toString('utf16le')
}

/** Writes an escape with hexadecimal digits at a place, and returns the place after it. */
function writeHex(units: Uint16Array, at: number, letter: number, value: number, digits: number): number {
  units[at] = BACKSLASH
  units[at + 1] = letter
  let place = at + 2
  for (let shift = 4 * (digits - 1); shift >= 0; shift -= 4)
    units[place++] = hexDigits[(value >>> shift) & 0xf]!
  return place
}

function isPrintableAscii(point: number): boolean {
  return point >= 0x20 && point < 0x7f
}

/** What is known of characters of one unit: the expression takes longer. */
const known = new Uint8Array(0x10000)
const [PRINTABLE, UNPRINTABLE] = [1, 2]

function isPrintable(point: number): boolean {
  if (point < 0x80) return isPrintableAscii(point)
  if (point > 0xffff) return printable.test(String.fromCodePoint(point))
  known[point] ||= printable.test(String.fromCodePoint(point)) ? PRINTABLE : UNPRINTABLE
  return known[point] === PRINTABLE
}
