import { base256emoji } from 'multiformats/bases/base256emoji'
import type { Steps } from '../../encoding/timeSlice.js'
import { FileNetworkError } from '../errors.js'
import { textOfBytes } from '../../encoding/byteText.js'
import { goEscape, goQuote } from '../text/goQuote.js'
import { type Radix, decodeFromRadix } from './radix.js'

/**
 * Decodes the digits of a multibase text, after its prefix, with the leniency and the messages of Go's decoder.
 *
 * @throws {@link FileNetworkError}
 */
export type DigitDecoder = (digits: Uint8Array) => Steps<Uint8Array>

/** Digits decoded between two yields. */
const DIGITS_PER_STEP = 8192

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const PADDING = 0x3d
const ZERO = 0x30

/** Value of a byte that is no digit. */
const INVALID = 0xff

function valuesOf(alphabet: string): Uint8Array {
  const values = new Uint8Array(256).fill(INVALID)
  for (const [value, digit] of [...alphabet].entries()) values[digit.charCodeAt(0)] = value
  return values
}

function caselessValuesOf(alphabet: string): Uint8Array {
  const values = valuesOf(alphabet)
  for (const [value, digit] of [...alphabet.toUpperCase()].entries()) values[digit.charCodeAt(0)] = value
  return values
}

/** Decodes base2, with zeros in front of an incomplete byte (go-multibase, `base2.go`). */
export function* decodeBinary(digits: Uint8Array): Steps<Uint8Array> {
  const missing = (8 - (digits.length % 8)) % 8
  const padded = new Uint8Array(missing + digits.length).fill(ZERO, 0, missing)
  padded.set(digits, missing)
  const bytes = new Uint8Array(padded.length / 8)
  for (let index = 0; index < bytes.length; index++) {
    const group = textOfBytes(padded.subarray(index * 8, index * 8 + 8))
    // Go's parser accepts a sign.
    if (!/^[+-]?[01]+$/.test(group)) {
      throw new FileNetworkError(
        `error while conversion: strconv.ParseInt: parsing ${goQuote(group)}: invalid syntax`,
      )
    }
    bytes[index] = Number.parseInt(group, 2)
    if (index % (DIGITS_PER_STEP / 8) === 0) yield
  }
  return bytes
}

const hexValues = caselessValuesOf('0123456789abcdef')

/** Decodes base16 (Go, `encoding/hex`). */
export function* decodeHex(digits: Uint8Array): Steps<Uint8Array> {
  const bytes = new Uint8Array(digits.length >> 1)
  for (const [place, digit] of digits.entries()) {
    const value = hexValues[digit] as number
    if (value === INVALID) throw new FileNetworkError(`encoding/hex: invalid byte: ${unicodeOf(digit)}`)
    if (place >> 1 < bytes.length) bytes[place >> 1] = ((bytes[place >> 1] as number) << 4) | value
    if (place % DIGITS_PER_STEP === 0) yield
  }
  if (digits.length % 2 === 1) throw new FileNetworkError('encoding/hex: odd length hex string')
  return bytes
}

/** Formats a byte like Go's `%#U`, such as `U+006F 'o'`. */
function unicodeOf(byte: number): string {
  const character = String.fromCharCode(byte)
  const isPrintable = goEscape(character, { quote: '' }) === character || character === '\\'
  const shown = isPrintable ? ` '${character}'` : ''
  return `U+${byte.toString(16).toUpperCase().padStart(4, '0')}${shown}`
}

/** Returns a decoder for base32 in either case (go-base32, `base32.go`). */
export function base32Decoder(alphabet: string, { isPadded }: { isPadded: boolean }): DigitDecoder {
  const values = caselessValuesOf(alphabet)
  return function* (given) {
    const digits = yield* withoutBreaks(given)
    const fault = (place: number): FileNetworkError =>
      new FileNetworkError(`illegal base32 data at input byte ${place}`)
    const bytes = new Uint8Array(Math.ceil(digits.length / 8) * 5)
    let length = 0
    for (let start = 0; start < digits.length; start += 8) {
      let count = 0
      let isEnd = false
      const group = [0, 0, 0, 0, 0, 0, 0, 0]
      for (; count < 8 && !isEnd; count++) {
        const place = start + count
        if (place === digits.length) {
          if (isPadded) throw fault(place - count)
          break
        }
        const digit = digits[place] as number
        const isLast = count >= 2 && digits.length - place <= 8
        if (isPadded && digit === PADDING && isLast) {
          checkPadding(digits, { start, count, fault })
          isEnd = true
          break
        }
        if (!isPadded && digit === 0xff && isLast) throw fault(digits.length)
        const value = values[digit] as number
        if (value === INVALID) throw fault(place)
        group[count] = value
      }
      const whole = bytesByDigits[count] as number
      const [a, b, c, d, e, f, g, h] = group as [
        number,
        number,
        number,
        number,
        number,
        number,
        number,
        number,
      ]
      const five = [(a << 3) | (b >> 2), (b << 6) | (c << 1) | (d >> 4), (d << 4) | (e >> 1)]
      five.push((e << 7) | (f << 2) | (g >> 3), (g << 5) | h)
      bytes.set(five.slice(0, whole), length)
      length += whole
      if (isEnd) break
      if (start % DIGITS_PER_STEP === 0) yield
    }
    return bytes.subarray(0, length)
  }
}

/** Bytes in a group of base32 digits, by the number of digits; leftover digits are ignored. */
const bytesByDigits = [0, 0, 1, 0, 2, 3, 0, 4, 5]

/** Checks the padding of the last group, which begins after `count` digits. */
function checkPadding(
  digits: Uint8Array,
  { start, count, fault }: { start: number; count: number; fault: (place: number) => FileNetworkError },
): void {
  if (digits.length - start < 8) throw fault(digits.length)
  for (let place = start + count + 1; place < start + 8; place++) {
    // Go is one off.
    if (digits[place] !== PADDING) throw fault(place - 1)
  }
  if (count === 3 || count === 6) throw fault(start + count)
}

function* withoutBreaks(text: Uint8Array): Steps<Uint8Array> {
  const kept = new Uint8Array(text.length)
  let length = 0
  for (let start = 0; start < text.length; start += DIGITS_PER_STEP) {
    for (const byte of text.subarray(start, start + DIGITS_PER_STEP)) {
      if (byte !== LINE_FEED && byte !== CARRIAGE_RETURN) kept[length++] = byte
    }
    yield
  }
  return kept.subarray(0, length)
}

/** Returns a decoder for base64 (Go, `encoding/base64`). */
export function base64Decoder(alphabet: string, { isPadded }: { isPadded: boolean }): DigitDecoder {
  const values = valuesOf(alphabet)
  return function* (digits) {
    const fault = (place: number): FileNetworkError =>
      new FileNetworkError(`illegal base64 data at input byte ${place}`)
    const isBreak = (place: number): boolean =>
      digits[place] === LINE_FEED || digits[place] === CARRIAGE_RETURN
    const bytes = new Uint8Array(Math.ceil(digits.length / 4) * 3)
    let length = 0
    let place = 0

    function* skipBreaks(): Steps<void> {
      for (; isBreak(place); place++) if (place % DIGITS_PER_STEP === 0) yield
    }

    /** Checks the padding after `count` digits of the last group; its first character is read already. */
    function* checkEnd(count: number): Steps<void> {
      if (count < 2) throw fault(place - 1)
      if (count === 2) {
        yield* skipBreaks()
        if (place === digits.length) throw fault(place)
        if (digits[place] !== PADDING) throw fault(place - 1)
        place++
      }
      yield* skipBreaks()
      if (place < digits.length) throw fault(place)
    }

    while (place < digits.length) {
      let bits = 0
      let count = 0
      while (count < 4) {
        if (place === digits.length) {
          if (count === 0) break
          if (count === 1 || isPadded) throw fault(place - count)
          break
        }
        if (place % DIGITS_PER_STEP === 0) yield
        const value = values[digits[place++] as number] as number
        if (value !== INVALID) {
          bits |= value << (18 - 6 * count++)
          continue
        }
        if (isBreak(place - 1)) continue
        if (!isPadded || digits[place - 1] !== PADDING) throw fault(place - 1)
        yield* checkEnd(count)
        break
      }
      for (let index = 0; index < count - 1; index++) bytes[length++] = bits >> (16 - 8 * index)
    }
    return bytes.subarray(0, length)
  }
}

const emojis = new Map(
  Array.from({ length: 256 }, (_, byte) => [
    base256emoji.encode(Uint8Array.of(byte)).slice(base256emoji.prefix.length),
    byte,
  ]),
)

/** Decodes base256emoji (go-multibase, `base256emoji.go`). */
export function* decodeEmojis(digits: Uint8Array): Steps<Uint8Array> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const bytes = new Uint8Array(digits.length)
  let length = 0
  let place = 0
  for (let start = 0; start < digits.length; start += DIGITS_PER_STEP) {
    const end = start + DIGITS_PER_STEP
    for (const emoji of decoder.decode(digits.subarray(start, end), { stream: end < digits.length })) {
      const byte = emojis.get(emoji)
      if (byte === undefined) {
        throw new FileNetworkError(`illegal base256emoji data at input byte ${place}, char: '${emoji}'`)
      }
      bytes[length++] = byte
      place += Buffer.byteLength(emoji)
    }
    yield
  }
  return bytes.subarray(0, length)
}

/** Returns a decoder for base36 in either case (go-base36, `base36.go`). */
export function base36Decoder(radix: Radix): DigitDecoder {
  // eslint-disable-next-line require-yield -- the length of such text is limited
  return function* (digits) {
    if (digits.length === 0) throw new FileNetworkError('can not decode zero-length string')
    const text = Buffer.from(digits).toString()
    const wrong = [...text].find((digit) => !/[0-9a-z]/i.test(digit))
    if (wrong !== undefined) throw new FileNetworkError(`invalid base36 character (${quoteRune(wrong)})`)
    return decodeFromRadix(radix, text.toLowerCase())
  }
}

/** Returns a decoder for base58 (github.com/mr-tron/base58). */
export function base58Decoder(radix: Radix): DigitDecoder {
  // eslint-disable-next-line require-yield -- the length of such text is limited
  return function* (digits) {
    if (digits.length === 0) throw new FileNetworkError('zero length string')
    const text = Buffer.from(digits).toString()
    const wrong = [...text].find((digit) => !radix.values.has(digit))
    if (wrong === undefined) return decodeFromRadix(radix, text)
    throw new FileNetworkError(
      wrong > '\x7f' ? 'high-bit set on invalid digit' : `invalid base58 digit (${quoteRune(wrong)})`,
    )
  }
}

function quoteRune(character: string): string {
  return `'${goEscape(character, { quote: "'" })}'`
}
