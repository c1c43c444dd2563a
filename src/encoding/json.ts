import { type Steps, runToCompletion } from './timeSlice.js'

/** Maximum nesting depth of arrays and objects (Go: encoding/json/scanner.go, maxNestingDepth). */
export const deepestNesting = 10_000

/** Returns the index of the first character from `index` on that is not JSON whitespace. */
export function skipWhitespace(text: string, index: number): number {
  let end = index
  for (let code = text.charCodeAt(end); code <= 0x20; code = text.charCodeAt(++end)) {
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) break
  }
  return end
}

/** Quotes and backslashes scanned in one step. */
const ESCAPES_AT_ONCE = 16 * 1024

/**
 * Returns the index behind the string literal that starts at `start`, or the length of the text if it is
 * unterminated.
 */
export function* endOfString(text: string, start: number): Steps<number> {
  let index = start + 1
  for (let looked = 0; ;) {
    const quote = text.indexOf('"', index)
    if (quote === -1) return text.length
    let backslashes = 0
    while (text.charCodeAt(quote - 1 - backslashes) === 0x5c) {
      backslashes += 1
      if ((looked + backslashes) % ESCAPES_AT_ONCE === 0) yield
    }
    index = quote + 1
    if (backslashes % 2 === 0) return index
    looked += backslashes
  }
}

/** Like {@link endOfString}, but at once: returns undefined if the first quote may be escaped. */
export function endOfPlainString(text: string, start: number): number | undefined {
  const quote = text.indexOf('"', start + 1)
  if (quote === -1) return text.length
  return text.charCodeAt(quote - 1) === 0x5c ? undefined : quote + 1
}

/** Below this many members, Object.keys is fast enough. */
const MANY = 1024

const arrayIndex = /^(0|[1-9]\d*)$/

/** Keys of large objects, in order. */
const known = new WeakMap<object, readonly string[]>()

/**
 * Remembers the keys of an object that was just built and will not change. Object.keys takes half a microsecond per
 * key in one go: 150 ms for 300,000.
 *
 * @param names - in insertion order
 */
export function rememberKeys(object: object, names: readonly string[]): void {
  if (names.length < MANY || names.some((name) => arrayIndex.test(name))) return
  known.set(object, names)
}

/** Returns the keys of an object, like Object.keys. */
export function keysOf(object: object): readonly string[] {
  return known.get(object) ?? Object.keys(object)
}

/** Characters that are escapes in a JSON string, or not allowed in one. */
const needsUnescaping = /[\\"\p{Cc}]/u
/** Length of the longest escape in characters. */
const ESCAPE_LENGTH = 6

/**
 * Incremental JSON.parse of the string literal between two indices. Without escapes, the result is a slice of the
 * text and nothing is copied.
 *
 * @param pieceLength - characters per step
 * @throws SyntaxError if it is not a string literal
 */
export function* parseStringInSlices(
  text: string,
  start: number,
  end: number,
  pieceLength: number,
): Steps<string> {
  const last = end - 1
  if (text.charAt(start) !== '"' || last <= start || text.charAt(last) !== '"') {
    throw new SyntaxError('A string does not end')
  }
  const length = Math.max(pieceLength, 2 * ESCAPE_LENGTH)
  let pieces: string[] | undefined
  for (let at = start + 1; at < last;) {
    const most = text.slice(at, Math.min(at + length, last))
    const piece = at + most.length < last ? most.slice(0, endOfEscapes(most)) : most
    if (needsUnescaping.test(piece)) {
      pieces ??= [text.slice(start + 1, at)]
      pieces.push(String(JSON.parse(`"${piece}"`)))
    } else pieces?.push(piece)
    at += piece.length
    yield
  }
  return pieces === undefined ? text.slice(start + 1, last) : pieces.join('')
}

/** Returns the length of the prefix that holds only whole escapes. The first character must not continue an escape. */
function endOfEscapes(characters: string): number {
  const backslash = characters.lastIndexOf('\\')
  if (backslash === -1 || backslash + ESCAPE_LENGTH <= characters.length) return characters.length
  let before = backslash
  while (characters.charAt(before - 1) === '\\') before--
  // A pair of backslashes is an escape of its own.
  return (backslash - before) % 2 === 0 ? backslash : characters.length
}

/** Approximate number of characters parsed in one step. */
const PIECE_LENGTH = 64 * 1024
/** Characters scanned in one step where no member ends. */
const SCANNED_AT_ONCE = 512 * 1024
/** Depth down to which arrays and objects are split; long values below it are parsed in one step. */
const DEEPEST = 1000

const [quote, comma, colon] = [0x22, 0x2c, 0x3a]
/** Opening brackets to their closing ones. */
const closing = new Map([
  ['{', '}'],
  ['[', ']'],
])

/**
 * Incremental JSON.parse: yields between pieces, so that a long text does not hold up other work. Member names may
 * have {@link LONGEST_NAME} characters.
 *
 * @throws SyntaxError if the text is not JSON
 */
export function* parseJsonInSlices(text: string, pieceLength = PIECE_LENGTH): Steps<unknown> {
  const start = skipWhitespace(text, 0)
  if (text.length <= pieceLength) return JSON.parse(text)
  refuseLongNumber(text, start)
  const isString = text.charCodeAt(start) === quote
  if (!isString && !closing.has(text.charAt(start))) return JSON.parse(text)
  const { value, end } = isString
    ? yield* readString(text, start, pieceLength)
    : yield* parseContainerInSlices(text, start, pieceLength)
  if (skipWhitespace(text, end) < text.length) throw new SyntaxError('There is text behind the JSON value')
  return value
}

/**
 * Parses the array or object that starts at `start`, like {@link parseJsonInSlices}; any text may follow it.
 *
 * @returns the value and the index behind it
 * @throws SyntaxError if it is not JSON
 */
export function parseContainerInSlices(
  text: string,
  start: number,
  pieceLength = PIECE_LENGTH,
): Steps<{ value: unknown; end: number }> {
  return new Container(text, start, pieceLength, 1).read()
}

function* readString(
  text: string,
  start: number,
  pieceLength: number,
): Steps<{ value: unknown; end: number }> {
  const end = yield* endOfString(text, start)
  return { value: yield* parseStringInSlices(text, start, end, pieceLength), end }
}

/** Maximum characters of a member name, which is parsed in one step. */
const LONGEST_NAME = 1024 * 1024

/** Maximum characters of a number: JSON.parse takes milliseconds per million of them. */
const LONGEST_NUMBER = 64 * 1024
const longNumber = new RegExp(`[-+.\\deE]{${LONGEST_NUMBER}}`, 'y')

/** @throws SyntaxError if a number too long to parse in one step begins at `start` */
function refuseLongNumber(text: string, start: number): void {
  longNumber.lastIndex = start
  if (longNumber.test(text)) throw new SyntaxError(`A number has more than ${LONGEST_NUMBER} characters`)
}

/** Array or object parsed member by member; short members are parsed together. */
class Container {
  readonly #text: string
  readonly #pieceLength: number
  readonly #depth: number
  readonly #open: string
  readonly #close: string
  readonly #value: unknown[] | Record<string, unknown>
  readonly #names: string[] = []
  /** Start of the unparsed text, and of the member being scanned. */
  #start: number
  #member: number

  constructor(text: string, start: number, pieceLength: number, depth: number) {
    this.#text = text
    this.#pieceLength = pieceLength
    this.#depth = depth
    this.#open = text.charAt(start)
    this.#close = closing.get(this.#open) ?? ''
    this.#value = this.#close === ']' ? [] : {}
    this.#start = this.#member = start + 1
  }

  /** @returns the value and the index behind it */
  *read(): Steps<{ value: unknown; end: number }> {
    const text = this.#text
    let depth = 0
    let rested = this.#start
    for (let index = this.#start; index < text.length; index++) {
      const code = text.charCodeAt(index)
      if (index - rested > SCANNED_AT_ONCE) {
        rested = index
        yield
      }
      let isLongString = false
      if (code === quote) {
        const end = endOfPlainString(text, index) ?? (yield* endOfString(text, index))
        const isLongText = depth === 0 && end - index > this.#pieceLength
        isLongString = isLongText && this.#isValue(index)
        if (isLongText && !isLongString && end - index > LONGEST_NAME) {
          throw new SyntaxError(`A member's name has more than ${LONGEST_NAME} characters`)
        }
        index = end - 1
      } else if (code === comma && depth === 0) {
        if (index - this.#start >= this.#pieceLength) {
          this.#take(index)
          this.#start = index + 1
          yield
        }
        this.#member = index + 1
      } else if (code === 0x5b || code === 0x7b) depth++
      else if ((code === 0x5d || code === 0x7d) && depth-- === 0) {
        // An array or object may be empty, but not end behind a comma.
        if (this.#hasMembers() || skipWhitespace(text, this.#start) < index) this.#take(index)
        return this.#end(index)
      }
      const isLong = depth > 0 && index - this.#member >= this.#pieceLength && this.#depth < DEEPEST
      if (!isLong && !isLongString) continue
      index = yield* this.#descend()
      if (text.charCodeAt(index) !== comma) return this.#end(index)
      this.#start = this.#member = index + 1
      depth = 0
    }
    throw new SyntaxError('The JSON text ends too early')
  }

  /** Returns whether the string at an index is a member's value rather than its name. */
  #isValue(index: number): boolean {
    return this.#close === ']' || skipWhitespace(this.#text, this.#member) < index
  }

  /** Returns whether a member precedes the unparsed text. */
  #hasMembers(): boolean {
    return this.#text.charCodeAt(this.#start - 1) === comma
  }

  #end(index: number): { value: unknown; end: number } {
    if (this.#text[index] !== this.#close) throw new SyntaxError('An array or object is closed wrongly')
    if (this.#close === '}') rememberKeys(this.#value, this.#names)
    return { value: this.#value, end: index + 1 }
  }

  /** Parses the members before `end`. */
  #take(end: number): void {
    if (skipWhitespace(this.#text, this.#start) >= end) throw new SyntaxError('A member is missing')
    if (end - this.#member > LONGEST_NUMBER) this.#checkNumber()
    const source = this.#open + this.#text.slice(this.#start, end) + this.#close
    const members = JSON.parse(source) as unknown[] | Record<string, unknown>
    if (Array.isArray(members)) for (const member of members) this.#add('', member)
    else for (const name of Object.keys(members)) this.#add(name, members[name])
  }

  /** Checks the length of the last unparsed member if it is a number. */
  #checkNumber(): void {
    const start = skipWhitespace(this.#text, this.#member)
    const isNamed = this.#close === '}' && this.#text.charCodeAt(start) === quote
    const behind = isNamed
      ? skipWhitespace(this.#text, runToCompletion(endOfString(this.#text, start))) + 1
      : start
    refuseLongNumber(this.#text, skipWhitespace(this.#text, behind))
  }

  #add(name: string, member: unknown): void {
    const value = this.#value
    if (Array.isArray(value)) {
      value.push(member)
      return
    }
    if (!Object.hasOwn(value, name)) this.#names.push(name)
    if (name === '__proto__') {
      Object.defineProperty(value, name, {
        value: member,
        configurable: true,
        enumerable: true,
        writable: true,
      })
    } else value[name] = member
  }

  /**
   * Parses the long member being scanned on its own, after those before it.
   *
   * @returns the index of what follows it: a comma, or the end of the container
   */
  *#descend(): Steps<number> {
    const text = this.#text
    if (this.#member > this.#start) this.#take(this.#member - 1)
    yield
    let [name, start] = ['', skipWhitespace(text, this.#member)]
    if (this.#close === '}') {
      if (text.charCodeAt(start) !== quote) throw new SyntaxError('A member has no name')
      const endOfName = yield* endOfString(text, start)
      name = String(JSON.parse(text.slice(start, endOfName)))
      const behind = skipWhitespace(text, endOfName)
      if (text.charCodeAt(behind) !== colon) throw new SyntaxError('A member has no value')
      start = skipWhitespace(text, behind + 1)
    }
    const { value, end } = yield* this.#readLong(start)
    this.#add(name, value)
    yield
    return skipWhitespace(text, end)
  }

  /** Parses the array, object or string that starts at an index. */
  *#readLong(start: number): Steps<{ value: unknown; end: number }> {
    const text = this.#text
    if (text.charCodeAt(start) === quote) return yield* readString(text, start, this.#pieceLength)
    if (!closing.has(text.charAt(start))) throw new SyntaxError('There is text before a bracket')
    return yield* new Container(text, start, this.#pieceLength, this.#depth + 1).read()
  }
}

/** Approximate characters per piece of JSON text. */
const TEXT_PIECE_LENGTH = 16 * 1024

/** Longest string written in one step, in characters. */
const STRING_AT_ONCE = 64 * 1024

/** Incremental JSON.stringify of a value parsed from JSON: yields between pieces, so that a large value does not hold up other work. */
export function* stringifyJsonInSlices(value: unknown): Steps<string[]> {
  const pieces: string[] = []
  let text = ''
  yield* write(value, 1)
  pieces.push(text)
  return pieces

  function* write(inner: unknown, depth: number): Steps<void> {
    if (typeof inner === 'string' && inner.length > STRING_AT_ONCE) {
      yield* writeString(inner)
    } else if (typeof inner !== 'object' || inner === null || depth > DEEPEST) {
      text += JSON.stringify(inner)
    } else if (Array.isArray(inner)) {
      text += '['
      for (let index = 0; index < inner.length; index++) {
        if (index > 0) text += ','
        yield* write(inner[index], depth + 1)
      }
      text += ']'
    } else {
      let separator = '{'
      for (const name of keysOf(inner)) {
        text += `${separator}${JSON.stringify(name)}:`
        separator = ','
        yield* write((inner as Record<string, unknown>)[name], depth + 1)
      }
      text += separator === '{' ? '{}' : '}'
    }
    if (text.length < TEXT_PIECE_LENGTH) return
    pieces.push(text)
    text = ''
    yield
  }

  function* writeString(long: string): Steps<void> {
    text += '"'
    for (let at = 0; at < long.length;) {
      const isPair = isHighSurrogate(long, at + STRING_AT_ONCE - 1)
      const piece = long.slice(at, at + STRING_AT_ONCE + (isPair ? 1 : 0))
      pieces.push(text + JSON.stringify(piece).slice(1, -1))
      text = ''
      at += piece.length
      yield
    }
    text = '"'
  }
}

/** Whether the character at an index may begin a surrogate pair, which is written as one. */
function isHighSurrogate(text: string, index: number): boolean {
  return (text.charCodeAt(index) & 0xfc00) === 0xd800
}
