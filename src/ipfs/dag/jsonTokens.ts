import { latin1 } from '../../encoding/hex.js'
import { parseCid } from '../cid/parseCid.js'
import { EndOfDataError, FileNetworkError } from '../errors.js'
import { type DataToken, type TokenSource, UnexpectedEndError } from './dataTokens.js'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const ARRAY_CLOSE = 0x5d
const MAP_CLOSE = 0x7d
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
/** Smaller bytes are control characters. */
const SPACE = 0x20
/** Longest string, in bytes: as many as Kubo exchanges in a block. */
const MAX_STRING_LENGTH = 2 * 2 ** 20
/** Longest number, in characters. */
const MAX_NUMBER_LENGTH = 65_536
/** Longest run of white space, in bytes. */
const MAX_SPACE_LENGTH = 16 * 2 ** 20
/** ASCII characters that need no escape. */
const plainText = /^[ !#-[\]-~]*$/
/** Whether a byte is the letter of an escape. */
const escapes = new Uint8Array(256)
for (const letter of Buffer.from('bfnrt\\/"')) escapes[letter] = 1
/** Literals by their first letter. The others are not checked. */
const literals: ReadonlyMap<number, { length: number; token: DataToken }> = new Map([
  [0x6e, { length: 4, token: { kind: 'null', value: null } }],
  [0x66, { length: 5, token: { kind: 'bool', value: false } }],
  [0x74, { length: 4, token: { kind: 'bool', value: true } }],
])
const names: Readonly<Record<string, string>> = {
  ',': 'comma',
  ':': 'colon',
  '{': 'map open',
  '}': 'map close',
  '[': 'array open',
  ']': 'array close',
  '"': 'quote',
}

/** State of an open list or map. */
interface Frame {
  kind: 'array' | 'map'
  /** Whether a comma must precede the next entry. */
  some: boolean
  /** Whether a key was read and its value is next. */
  atValue: boolean
}

/**
 * Reads JSON like refmt, which is lenient: a comma may follow the last entry, only the first letter of `null`, `true`
 * and `false` counts, and a lone surrogate becomes the replacement character. Messages are refmt's. Input that is slow
 * to read and does not occur in practice is rejected: overlong strings, numbers and white space.
 */
export class JsonTokens implements TokenSource {
  readonly budget = Infinity
  readonly #data: Uint8Array
  readonly #frames: Frame[] = []
  #position = 0

  constructor(data: Uint8Array) {
    this.#data = data
  }

  finish(): void {
    const { length } = this.#data
    const last = Math.min(length, this.#position + MAX_SPACE_LENGTH + 1)
    for (let at = this.#position; at < last; at++) {
      if (isSpace(this.#data[at]) || this.#data[at] === 0) continue
      throw new FileNetworkError('unexpected content after end of json object')
    }
    if (last < length) throw new FileNetworkError(`more than ${MAX_SPACE_LENGTH} bytes of space`)
  }

  next(): DataToken {
    const frame = this.#frames.at(-1)
    if (frame === undefined) return this.#takeRoot()
    const byte = this.#takeByte()
    if (frame.atValue) {
      frame.atValue = false
      return this.#takeValue(byte, 'value')
    }
    return this.#takeEntry(frame, byte)
  }

  /** Reads the first token. An end of data before or within it is unexpected. */
  #takeRoot(): DataToken {
    try {
      return this.#takeValue(this.#takeByte(), 'value')
    } catch (error) {
      throw error instanceof EndOfDataError ? new UnexpectedEndError() : error
    }
  }

  /** Reads the next entry of a list, the next key of a map, or the end of either. */
  #takeEntry(frame: Frame, first: number): DataToken {
    const close = frame.kind === 'array' ? ARRAY_CLOSE : MAP_CLOSE
    let byte = first
    if (frame.some && byte !== close) {
      if (byte !== COMMA) {
        throw new FileNetworkError(
          `expected comma or ${frame.kind} close after ${frame.kind} value; got ${nameOf(byte)}`,
        )
      }
      byte = this.#takeByte()
    }
    if (byte === close) {
      this.#frames.pop()
      return { kind: `${frame.kind} close` }
    }
    frame.some = true
    if (frame.kind === 'array') return this.#takeValue(byte, 'value')
    const key = this.#takeValue(byte, 'key')
    const colon = this.#takeByte()
    if (colon !== COLON) throw new FileNetworkError(`expected colon after map key; got ${nameOf(colon)}`)
    frame.atValue = true
    return key
  }

  #takeValue(byte: number, part: 'key' | 'value'): DataToken {
    const literal = literals.get(byte)
    if (literal !== undefined) {
      this.#position = Math.min(this.#position + literal.length - 1, this.#data.length)
      return literal.token
    }
    if (byte === QUOTE) return { kind: 'string', value: this.#takeString() }
    if (byte === 0x2d || isDigit(byte)) return this.#takeNumber()
    const kind = byte === 0x7b ? 'map' : byte === 0x5b ? 'array' : undefined
    if (kind === undefined) {
      throw new FileNetworkError(`invalid char while expecting start of ${part}: ${nameOf(byte)}`)
    }
    this.#frames.push({ kind, some: false, atValue: false })
    return { kind: `${kind} open`, length: Infinity }
  }

  /** Returns the next byte that is not white space. */
  #takeByte(): number {
    const last = this.#position + MAX_SPACE_LENGTH
    while (this.#position <= last && isSpace(this.#data[this.#position])) this.#position++
    if (this.#position > last) throw new FileNetworkError(`more than ${MAX_SPACE_LENGTH} bytes of space`)
    const byte = this.#data[this.#position]
    if (byte === undefined) throw new EndOfDataError()
    this.#position++
    return byte
  }

  /** Reads a string after its opening quote. */
  #takeString(): string {
    const start = this.#position
    const quote = this.#findQuote(start)
    const plain = quote === undefined ? '' : latin1(this.#data, start, quote)
    if (quote !== undefined && plainText.test(plain)) {
      this.#position = quote + 1
      return plain
    }
    const end = this.#endOfString(start)
    this.#position = end + 1
    const { buffer, byteOffset } = this.#data
    const encoded = Buffer.from(buffer, byteOffset + start, end - start).toString()
    return (JSON.parse(`"${encoded}"`) as string).toWellFormed()
  }

  /** Returns the position of the next quote that is close enough to end a string. */
  #findQuote(start: number): number | undefined {
    const last = start + MAX_STRING_LENGTH
    const data = last < this.#data.length ? this.#data.subarray(0, last + 1) : this.#data
    const quote = data.indexOf(QUOTE, start)
    return quote < 0 ? undefined : quote
  }

  /** Returns the position of the closing quote of a string that starts at a position. */
  #endOfString(start: number): number {
    const { length } = this.#data
    for (let at = start; ; at++) {
      if (at === length) throw new EndOfDataError()
      if (at - start > MAX_STRING_LENGTH) {
        throw new FileNetworkError(`a string of more than ${MAX_STRING_LENGTH} bytes`)
      }
      const byte = this.#data[at] as number
      if (byte === QUOTE) return at
      if (byte < SPACE) {
        throw new FileNetworkError(`invalid unprintable byte in string literal: ${hex(byte)}`)
      }
      if (byte === BACKSLASH) at = this.#endOfEscape(at + 1)
    }
  }

  /** Returns the last position of an escape, given that of its letter. */
  #endOfEscape(at: number): number {
    const letter = this.#data[at]
    if (letter === undefined) throw new EndOfDataError()
    if (escapes[letter] === 1) return at
    if (letter !== 0x75) throw new FileNetworkError(`invalid byte in string escape sequence: ${hex(letter)}`)
    for (const digit of [1, 2, 3, 4]) {
      const byte = this.#data[at + digit]
      if (byte === undefined) throw new EndOfDataError()
      if (!isHexDigit(byte)) {
        throw new FileNetworkError(`invalid byte in \\u hexadecimal character escape: ${hex(byte)}`)
      }
    }
    return at + 4
  }

  /** Reads a number after its first character. */
  #takeNumber(): DataToken {
    const start = this.#position - 1
    const most = start + MAX_NUMBER_LENGTH + 1
    let end = start
    while (end < most && isOfNumber(this.#data[end])) end++
    const text = numberStart.exec(latin1(this.#data, start, end))?.[0] ?? ''
    if (text.length > MAX_NUMBER_LENGTH) {
      throw new FileNetworkError(`a number of more than ${MAX_NUMBER_LENGTH} characters`)
    }
    this.#position = start + text.length
    // After a number at the top level, refmt swallows the next byte.
    if (this.#frames.length === 0 && this.#position < this.#data.length) this.#position++
    return numberToken(text)
  }
}

/** Whether a byte is a digit or one of `+-.Ee`; undefined is the end of the data. */
function isOfNumber(byte: number | undefined): boolean {
  if (byte === undefined) return false
  const isDigit = byte >= 0x30 && byte <= 0x39
  return isDigit || byte === 0x2b || byte === 0x2d || byte === 0x2e || byte === 0x45 || byte === 0x65
}

/** What refmt takes for a number, which need not be a valid one. */
const numberStart = /^(?:-?(?:0|[1-9]\d*)(?:\.(?:\d+(?:[eE](?:[+-]?\d*))?)?|[eE](?:[+-]?\d*))?|-)/

/** Parses a number, with the errors of Go's `strconv`. */
function numberToken(text: string): DataToken {
  if (/^-?\d+$/.test(text)) {
    const value = BigInt(text)
    if (BigInt.asIntN(64, value) !== value) throw invalidNumber('ParseInt', text, 'value out of range')
    return { kind: 'int', value: Number.isSafeInteger(Number(value)) ? Number(value) : value }
  }
  if (!/\d$|\.$/.test(text)) throw invalidNumber('ParseFloat', text, 'invalid syntax')
  const value = Number(text)
  if (!Number.isFinite(value)) throw invalidNumber('ParseFloat', text, 'value out of range')
  return { kind: 'float', value }
}

function invalidNumber(parser: 'ParseInt' | 'ParseFloat', text: string, reason: string): FileNetworkError {
  return new FileNetworkError(`strconv.${parser}: parsing "${text}": ${reason}`)
}

/** Reads DAG-JSON, where a map with the single key `/` is a link or bytes. */
export class DagJsonTokens extends JsonTokens {
  /** Tokens read ahead, the next one last. */
  readonly #ahead: DataToken[] = []

  override next(): DataToken {
    const token = this.#take()
    if (token.kind !== 'map open') return token
    const key = this.#take()
    if (key.kind === 'string' && key.value === '/') {
      const value = this.#take()
      const special = value.kind === 'string' ? this.#link(value.value) : this.#bytes(value)
      if (special !== undefined) return special
      this.#ahead.push(value)
    }
    this.#ahead.push(key)
    return token
  }

  #take(): DataToken {
    return this.#ahead.pop() ?? super.next()
  }

  /** Reads a link. A map with further entries is an ordinary map. */
  #link(text: unknown): DataToken | undefined {
    const end = this.#take()
    if (end.kind === 'map close') return { kind: 'link', value: parseCid(text as string) }
    this.#ahead.push(end)
    return undefined
  }

  /** @param map - the token after the slash; if it does not begin bytes, the tokens read after it are put back */
  #bytes(map: DataToken): DataToken | undefined {
    if (map.kind !== 'map open') return undefined
    const key = this.#take()
    if (key.kind === 'string' && key.value === 'bytes') {
      const text = this.#take()
      if (text.kind === 'string') {
        const ends = this.#takeEnds(2)
        if (ends.every(isMapClose)) return { kind: 'bytes', value: decodeBase64(text.value as string) }
        this.#ahead.push(...ends.reverse())
      }
      this.#ahead.push(text)
    }
    this.#ahead.push(key)
    return undefined
  }

  /** Reads up to `count` tokens, stopping after the first that does not end a map. */
  #takeEnds(count: number): DataToken[] {
    const tokens: DataToken[] = []
    while (tokens.length < count && tokens.every(isMapClose)) tokens.push(this.#take())
    return tokens
  }
}

function isMapClose({ kind }: DataToken): boolean {
  return kind === 'map close'
}

function hex(byte: number): string {
  return `0x${byte.toString(16)}`
}

function nameOf(byte: number): string {
  return names[String.fromCharCode(byte)] ?? hex(byte)
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}

function isHexDigit(byte: number): boolean {
  return isDigit(byte) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66)
}

function isSpace(byte = 0): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

/**
 * Decodes Base64 with or without padding, ignoring newlines.
 *
 * @throws {@link FileNetworkError} with the message of Go's `encoding/base64`
 */
function decodeBase64(text: string): Uint8Array {
  const plain = withoutLineBreaks(text)
  const padding = plain.endsWith('==') ? 2 : plain.endsWith('=') ? 1 : 0
  const digits = plain.length - padding
  const isWhole = padding === 0 ? digits % 4 !== 1 : plain.length % 4 === 0
  const bytes = new Uint8Array(Buffer.from(plain, 'base64'))
  // Node skips most other characters, and accepts the URL form. A regular expression takes much longer.
  const isStandard =
    bytes.length === Math.floor((digits * 3) / 4) &&
    Buffer.byteLength(plain) === plain.length &&
    !plain.includes('-') &&
    !plain.includes('_')
  if (!isWhole || !isStandard) {
    throw new FileNetworkError(`illegal base64 data at input byte ${placeOfFault(text)}`)
  }
  return bytes
}

/** Removes line breaks one by one: a regular expression would collect all of them, of which there may be a million. */
function withoutLineBreaks(text: string): string {
  if (!text.includes('\n') && !text.includes('\r')) return text
  const units = new Uint16Array(text.length)
  let length = 0
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit !== LINE_FEED && unit !== CARRIAGE_RETURN) units[length++] = unit
  }
  return Buffer.from(units.buffer, 0, 2 * length).toString('utf16le')
}

/** Returns the position at which Go's decoder stops in malformed text. */
function placeOfFault(text: string): number {
  const at = text.search(/[^A-Za-z0-9+/\r\n]/)
  const before = at < 0 ? text : text.slice(0, at)
  const inGroup = withoutLineBreaks(before).length % 4
  if (at < 0) return text.length - inGroup
  return text.charAt(at) === '=' && inGroup >= 2 ? placeAfterPadding(text, at + 1, inGroup) : at
}

/** @param at - position after the first padding character */
function placeAfterPadding(text: string, at: number, inGroup: number): number {
  const skip = (from: number): number => from + (/^[\r\n]*/.exec(text.slice(from))?.[0].length ?? 0)
  const second = skip(at)
  if (inGroup === 3) return second
  if (second === text.length) return text.length
  return text.charAt(second) === '=' ? skip(second + 1) : second - 1
}
