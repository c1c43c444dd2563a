import { isUtf8 } from 'node:buffer'
import { Token, Type } from 'cborg'
import type { DecodeTokenizer } from 'cborg/interface'
import { Tokenizer } from 'cborg/json'
import { base64 } from 'multiformats/bases/base64'
import { rememberKeys } from '../../encoding/json.js'
import { latin1 } from '../../encoding/hex.js'
import type { Steps } from '../../encoding/timeSlice.js'
import { WholeFloat } from './float.js'

const QUOTE = 0x22
const BACKSLASH = 0x5c
/** Bytes of a string that the library reads one by one. */
const LONG_STRING = 65_536
/** Most bytes of a string with escapes, or with characters beyond ASCII. One of plain text may be longer. */
const LONGEST_STRING = 4 * 2 ** 20
/** Most characters of a number. */
const LONGEST_NUMBER = 65_536
/** Most bytes of space in one place. */
const LONGEST_SPACE = 16 * 2 ** 20
/** Characters of ASCII that stand for themselves. */
const plainText = /^[ -!#-[\]-~]*$/

/**
 * Reads JSON as refmt does, with which Kubo reads it: a comma may stand behind the last item of a list, and a surrogate
 * alone is the replacement character. The library goes through strings, numbers and space one character after another, in
 * one piece: strings of many are read otherwise, and what is longer than anybody needs is refused.
 */
class LenientTokenizer extends Tokenizer {
  override parseString(): Token {
    const token = this.#parseLongString() ?? super.parseString()
    const text = token.value as string
    return /\p{Surrogate}/u.test(text)
      ? new Token(Type.string, Buffer.from(text).toString(), text.length)
      : token
  }

  override parseNumber(): Token {
    const last = this._pos + LONGEST_NUMBER
    let end = this._pos
    while (end <= last && isOfNumber(this.data[end])) end++
    if (end > last) throw new Error(`a number of more than ${LONGEST_NUMBER} characters`)
    return super.parseNumber()
  }

  override skipWhitespace(): void {
    const last = this._pos + LONGEST_SPACE
    while (this._pos <= last && isSpace(this.data[this._pos])) this._pos++
    if (this._pos > last) throw new Error(`more than ${LONGEST_SPACE} bytes of space`)
  }

  /** The string at this place if it is long, otherwise undefined. */
  #parseLongString(): Token | undefined {
    const start = this._pos + 1
    const quote = this.data.indexOf(QUOTE, start)
    if (quote < 0) {
      if (this.data.length - start > LONG_STRING) throw new Error('unexpected end of string')
      return undefined
    }
    const end = this.data[quote - 1] === BACKSLASH ? endOfString(this.data, start) : quote
    if (end - start <= LONG_STRING) return undefined
    const text = this.#longText(start, end)
    this._pos = end + 1
    return new Token(Type.string, text, text.length)
  }

  #longText(start: number, end: number): string {
    const isEscaped = this.data.subarray(start, end).includes(BACKSLASH)
    const plain = isEscaped ? undefined : latin1(this.data, start, end)
    if (plain !== undefined && plainText.test(plain)) return plain
    if (end - start > LONGEST_STRING) {
      throw new Error(`a string of more than ${LONGEST_STRING} bytes that is not plain text`)
    }
    const bytes = this.data.subarray(start, end)
    if (!isUtf8(bytes)) throw new Error('a long string that is not valid UTF-8')
    return JSON.parse(`"${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()}"`) as string
  }

  override parseValue(): Token {
    const isEnd = this.data[this._pos] === 0x5d && this.modeStack.at(-1) === 'array-value'
    if (!isEnd) return super.parseValue()
    this.modeStack.pop()
    this._pos++
    this.skipWhitespace()
    return new Token(Type.break, undefined, 1)
  }
}

/** Where a string ends: at the first quote with no escape before it, or with the data. It looks no further than it may be. */
function endOfString(data: Uint8Array, start: number): number {
  const last = Math.min(data.length, start + LONGEST_STRING + 1)
  let at = start
  while (at < last && data[at] !== QUOTE) at += data[at] === BACKSLASH ? 2 : 1
  return at
}

/** Whether a byte is a digit, a sign, a point or an exponent. */
function isOfNumber(byte = 0): boolean {
  const isDigit = byte >= 0x30 && byte <= 0x39
  return isDigit || byte === 0x2b || byte === 0x2d || byte === 0x2e || byte === 0x45 || byte === 0x65
}

function isSpace(byte = 0): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

/**
 * The tokens of DAG-JSON: what stands for links and bytes there becomes a tag and a string, or bytes. `@ipld/dag-json`
 * has the same for itself alone.
 */
export class DagJsonTokenizer extends LenientTokenizer {
  /** Tokens that were looked at and are still to come, the next one last. */
  readonly #ahead: Token[] = []

  constructor(data: Uint8Array) {
    super(data, { allowBigInt: true })
  }

  override done(): boolean {
    return this.#ahead.length === 0 && super.done()
  }

  override next(): Token {
    const token = this.#take()
    if (typeof token.value === 'bigint') checkInteger(token.value)
    if (!Type.equals(token.type, Type.map)) return token
    const key = this.#take()
    if (isString(key) && key.value === '/') {
      const value = this.#take()
      const special = isString(value) ? this.#link(value) : this.#bytes(value)
      if (special !== undefined) return special
      this.#ahead.push(value)
    }
    this.#ahead.push(key)
    return token
  }

  #take(): Token {
    return this.#ahead.pop() ?? super.next()
  }

  /** A map with more in it than a link is one like any other. */
  #link(text: Token): Token | undefined {
    const end = this.#take()
    if (!Type.equals(end.type, Type.break)) {
      this.#ahead.push(end)
      return undefined
    }
    this.#ahead.push(text)
    return new Token(Type.tag, 42, 0)
  }

  /** @param map - what stands behind the slash; what belongs to no bytes is put back behind it */
  #bytes(map: Token): Token | undefined {
    if (!Type.equals(map.type, Type.map)) return undefined
    const key = this.#take()
    if (isString(key) && key.value === 'bytes') {
      const text = this.#take()
      if (isString(text)) {
        const ends = this.#takeBreaks(2)
        if (ends.every(isBreak)) {
          const encoded = text.value as string
          return new Token(Type.bytes, base64.decode(`m${encoded}`), encoded.length)
        }
        this.#ahead.push(...ends.reverse())
      }
      this.#ahead.push(text)
    }
    this.#ahead.push(key)
    return undefined
  }

  /** So many tokens, up to the first that ends no map. */
  #takeBreaks(count: number): Token[] {
    const tokens: Token[] = []
    while (tokens.length < count && tokens.every(isBreak)) tokens.push(this.#take())
    return tokens
  }
}

/** The tokens of plain JSON, in which integers have 64 bits as in DAG-JSON. */
export class JsonTokenizer extends LenientTokenizer {
  constructor(data: Uint8Array) {
    super(data, { allowBigInt: true })
  }

  override next(): Token {
    const token = super.next()
    if (typeof token.value === 'bigint') checkInteger(token.value)
    return token
  }
}

/** @throws Error with the text of Go's `strconv` for an integer of more than 64 bits */
function checkInteger(value: bigint): void {
  if (BigInt.asIntN(64, value) === value) return
  throw new Error(`strconv.ParseInt: parsing "${value}": value out of range`)
}

function isBreak(token: Token): boolean {
  return Type.equals(token.type, Type.break)
}

function isString(token: Token): boolean {
  return Type.equals(token.type, Type.string)
}

/** How the library begins what it says of data that it cannot decode. */
const FAULT = 'CBOR decode error:'
/** The tag of links. */
const LINK_TAG = 42
/** Tokens that are read at once. */
const TOKENS_AT_ONCE = 256

/** What stands in the place of a value behind the last token. */
const DONE = Symbol('done')
/** What stands in the place of a value at the end of a list or map that did not say how many it has. */
const BREAK = Symbol('break')

/**
 * The value that tokens stand for, as cborg's decoder makes it of them under the options of the IPLD codecs, but in
 * pieces: the library gives whole values only.
 *
 * @param length - bytes that the tokens come from
 * @param linkOf - makes a link of what stands behind its tag
 * @throws Error in the words of the library
 */
export function* decodeTokens(
  tokenizer: DecodeTokenizer,
  length: number,
  linkOf: (content: unknown) => unknown,
): Steps<unknown> {
  const form = tokenizer instanceof JsonTokenizer || tokenizer instanceof DagJsonTokenizer ? 'json' : 'cbor'
  const value = yield* readValue(tokenizer, linkOf)
  if (value === DONE) throw new Error('unexpected EOF')
  if (value === BREAK) throw new Error(`${FAULT} got unexpected break`)
  if (tokenizer.pos() < length) throw new Error(`unexpected content after end of ${form} object`)
  return value
}

function* readValue(tokenizer: DecodeTokenizer, linkOf: (content: unknown) => unknown): Steps<unknown> {
  try {
    return yield* new ValueReader(tokenizer, linkOf).read()
  } catch (error) {
    throw asKubo(tokenizer, error)
  }
}

/** The same failure in Kubo's words, where it has some for it. */
function asKubo(tokenizer: DecodeTokenizer, error: unknown): unknown {
  const message = error instanceof Error ? error.message : ''
  if (/unexpected end of (input|string)|not enough (data|entries)|found (array|map) but/.test(message)) {
    return new Error('unexpected EOF', { cause: error })
  }
  const place = /unexpected character at position (\d+)/.exec(message)?.[1]
  if (place === undefined || !(tokenizer instanceof Tokenizer)) return error
  const byte = tokenizer.data[Number(place)]
  if (byte === undefined) return new Error('unexpected EOF', { cause: error })
  if (/array delimiter/.test(message)) {
    const reason = `expected comma or array close after array value; got 0x${byte.toString(16)}`
    return new Error(reason, { cause: error })
  }
  const part = message.includes("shouldn't happen") ? 'key' : 'value'
  if (byte === 0x7d) {
    return new Error(`invalid char while expecting start of ${part}: map close`, { cause: error })
  }
  if (byte === 0x2c) {
    return new Error(`invalid char while expecting start of ${part}: comma`, { cause: error })
  }
  return new Error(`invalid char while expecting start of ${part}: 0x${byte.toString(16)}`, { cause: error })
}

function floatOf(value: number): number | WholeFloat {
  return Number.isInteger(value) ? new WholeFloat(value) : value
}

class ValueReader {
  readonly #tokenizer: DecodeTokenizer
  readonly #linkOf: (content: unknown) => unknown
  #tokens = 0

  constructor(tokenizer: DecodeTokenizer, linkOf: (content: unknown) => unknown) {
    this.#tokenizer = tokenizer
    this.#linkOf = linkOf
  }

  *read(): Steps<unknown> {
    if (this.#tokenizer.done()) return DONE
    const { type, value } = this.#tokenizer.next()
    if (++this.#tokens % TOKENS_AT_ONCE === 0) yield
    if (Type.equals(type, Type.break)) return BREAK
    if (type.terminal) return Type.equals(type, Type.float) ? floatOf(value as number) : value
    if (Type.equals(type, Type.array)) return yield* this.#readArray(value as number)
    if (Type.equals(type, Type.map)) return yield* this.#readMap(value as number)
    if (value === LINK_TAG) return yield* this.#readLink()
    throw new Error(`${FAULT} tag not supported (${value})`)
  }

  /** @param length - infinite where a break ends it */
  *#readArray(length: number): Steps<unknown[]> {
    const values: unknown[] = []
    while (values.length < length) {
      const value = yield* this.read()
      if (value === BREAK) {
        if (length === Infinity) break
        throw new Error(`${FAULT} got unexpected break to lengthed array`)
      }
      if (value === DONE) {
        throw new Error(
          `${FAULT} found array but not enough entries (got ${values.length}, expected ${length})`,
        )
      }
      values.push(value)
    }
    return values
  }

  /** @param length - infinite where a break ends it */
  *#readMap(length: number): Steps<object> {
    const members: Record<string, unknown> = {}
    const names: string[] = []
    for (let index = 0; index < length; index++) {
      const key = yield* this.read()
      if (key === BREAK) {
        if (length === Infinity) break
        throw new Error(`${FAULT} got unexpected break to lengthed map`)
      }
      if (key === DONE) throw tooFew('key', index, length)
      if (typeof key !== 'string') {
        throw new Error(`${FAULT} non-string keys not supported (got ${typeof key})`)
      }
      if (Object.hasOwn(members, key)) throw new Error(`cannot repeat map key ${JSON.stringify(key)}`)
      names.push(key)
      const value = yield* this.read()
      if (value === DONE) throw tooFew('value', index, length)
      if (key === '__proto__') {
        Object.defineProperty(members, key, { value, configurable: true, enumerable: true, writable: true })
      } else members[key] = value
    }
    rememberKeys(members, names)
    return members
  }

  *#readLink(): Steps<unknown> {
    const content = yield* this.read()
    if (content === DONE) throw new Error(`${FAULT} tag content missing`)
    if (content === BREAK) throw new Error(`${FAULT} got unexpected break in tag content`)
    return this.#linkOf(content)
  }
}

function tooFew(missing: 'key' | 'value', found: number, length: number): Error {
  return new Error(
    `${FAULT} found map but not enough entries (got ${found} [no ${missing}], expected ${length})`,
  )
}
