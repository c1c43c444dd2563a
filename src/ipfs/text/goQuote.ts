/** Text that Go's `%q` leaves as it is. */
const plain = /^[ !#-[\]-~]*$/
/** Characters that Go calls printable (strconv, `IsPrint`). */
const printable = /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u
const printableAscii = /[ -~]/

/** Escapes for control characters that have a letter. */
const letters = new Map(
  Object.entries({ '\x07': 'a', '\b': 'b', '\t': 't', '\n': 'n', '\v': 'v', '\f': 'f', '\r': 'r' }),
)

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

/** Escapes text like Go's `%q`, without the quotes. */
export function goEscape(text: string, { ascii = false, quote = '"' }: EscapeOptions = {}): string {
  if (plain.test(text) && (quote !== "'" || !text.includes(quote))) return text
  const kept = ascii ? printableAscii : printable
  let escaped = ''
  for (const character of text) {
    if (character === quote || character === '\\') escaped += `\\${character}`
    else escaped += kept.test(character) ? character : escapeOf(character)
  }
  return escaped
}

function escapeOf(character: string): string {
  const letter = letters.get(character)
  if (letter !== undefined) return `\\${letter}`
  const point = character.codePointAt(0) ?? 0
  const hex = (digits: number): string => point.toString(16).padStart(digits, '0')
  if (point < 0x80) return `\\x${hex(2)}`
  if (point >= 0xdc80 && point <= 0xdcff) return `\\x${hex(4).slice(2)}`
  return point > 0xffff ? `\\U${hex(8)}` : `\\u${hex(4)}`
}
