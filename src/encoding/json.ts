import { type Steps, runToCompletion } from './timeSlice.js'

/** How deep arrays and objects may be nested (Go: encoding/json/scanner.go, maxNestingDepth). */
export const deepestNesting = 10_000

/** Returns the index of the first character from `index` on that is not JSON whitespace. */
export function skipWhitespace(text: string, index: number): number {
  let end = index
  for (let code = text.charCodeAt(end); code <= 0x20; code = text.charCodeAt(++end)) {
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) break
  }
  return end
}

/** Quotes and backslashes that are looked at in one step. */
const ESCAPES_AT_ONCE = 16 * 1024

/** The index after the string literal that starts at `start`; the length of the text if it is unterminated. */
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

/** The same at once if the first quote ends it; undefined if that may be escaped. */
export function endOfPlainString(text: string, start: number): number | undefined {
  const quote = text.indexOf('"', start + 1)
  if (quote === -1) return text.length
  return text.charCodeAt(quote - 1) === 0x5c ? undefined : quote + 1
}

/** With fewer members Object.keys is fast enough. */
const MANY = 1024

const arrayIndex = /^(0|[1-9]\d*)$/

/** The keys of large objects in order. */
const known = new WeakMap<object, readonly string[]>()

/**
 * Remembers the keys of an object that was just built and will not change. Object.keys takes half a microsecond a key in
 * one piece: 150 ms for 300,000.
 *
 * @param names - in the order of insertion
 */
export function rememberKeys(object: object, names: readonly string[]): void {
  if (names.length < MANY || names.some((name) => arrayIndex.test(name))) return
  known.set(object, names)
}

/** The keys of an object as Object.keys gives them. */
export function keysOf(object: object): readonly string[] {
  return known.get(object) ?? Object.keys(object)
}

/** What stands for something else in a JSON string, or must not stand there. */
const needsUnescaping = /[\\"\p{Cc}]/u
/** Characters of the longest escape. */
const ESCAPE_LENGTH = 6

/**
 * What JSON.parse makes of the string literal between two indices, in pieces. Without escapes it is a part of the text,
 * which is not copied.
 *
 * @param pieceLength - characters that are looked at at once
 * @throws SyntaxError if it is no string literal
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

/** How many of the characters are there with whole escapes; the first of them is no part of one that began before. */
function endOfEscapes(characters: string): number {
  const backslash = characters.lastIndexOf('\\')
  if (backslash === -1 || backslash + ESCAPE_LENGTH <= characters.length) return characters.length
  let before = backslash
  while (characters.charAt(before - 1) === '\\') before--
  // Two of them are an escape of their own.
  return (backslash - before) % 2 === 0 ? backslash : characters.length
}

/** Characters that are parsed at once, or a little more. */
const PIECE_LENGTH = 64 * 1024
/** Characters that are looked at at once where none of them ends a member. */
const SCANNED_AT_ONCE = 512 * 1024
/** How deep arrays and objects are taken apart; what is long and lies deeper is parsed at once. */
const DEEPEST = 1000

const [quote, comma, colon] = [0x22, 0x2c, 0x3a]
/** The brackets that close what others open. */
const closing = new Map([
  ['{', '}'],
  ['[', ']'],
])

/**
 * What JSON.parse makes of a text, in pieces: other work need not wait for a long one. Names of members may have
 * {@link LONGEST_NAME} characters.
 *
 * @throws SyntaxError if the text is no JSON
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
 * The same for the array or object that begins at a place in a text, whatever stands behind it.
 *
 * @returns the value, and the index behind it
 * @throws SyntaxError if it is no JSON
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

/** Characters of a member's name, which is parsed at once. */
const LONGEST_NAME = 1024 * 1024

/** Characters of a number: JSON.parse takes milliseconds for each million of them. */
const LONGEST_NUMBER = 64 * 1024
const longNumber = new RegExp(`[-+.\\deE]{${LONGEST_NUMBER}}`, 'y')

/** @throws SyntaxError if a number that takes too long to read begins at an index */
function refuseLongNumber(text: string, start: number): void {
  longNumber.lastIndex = start
  if (longNumber.test(text)) throw new SyntaxError(`A number has more than ${LONGEST_NUMBER} characters`)
}

/** An array or object that is read member by member; those that are short are parsed together. */
class Container {
  readonly #text: string
  readonly #pieceLength: number
  readonly #depth: number
  readonly #open: string
  readonly #close: string
  readonly #value: unknown[] | Record<string, unknown>
  readonly #names: string[] = []
  /** Where what is not parsed yet begins, and the member in it that is looked at. */
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

  /** @returns the value, and the index behind it */
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
        // Nothing may stand in an empty array or object, but not behind a comma.
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

  /** Whether a string at an index is a member's value, and not its name. */
  #isValue(index: number): boolean {
    return this.#close === ']' || skipWhitespace(this.#text, this.#member) < index
  }

  /** Whether something stands before what is not parsed yet. */
  #hasMembers(): boolean {
    return this.#text.charCodeAt(this.#start - 1) === comma
  }

  #end(index: number): { value: unknown; end: number } {
    if (this.#text[index] !== this.#close) throw new SyntaxError('An array or object is closed wrongly')
    if (this.#close === '}') rememberKeys(this.#value, this.#names)
    return { value: this.#value, end: index + 1 }
  }

  /** Parses the members up to an index. */
  #take(end: number): void {
    if (skipWhitespace(this.#text, this.#start) >= end) throw new SyntaxError('A member is missing')
    if (end - this.#member > LONGEST_NUMBER) this.#checkNumber()
    const source = this.#open + this.#text.slice(this.#start, end) + this.#close
    const members = JSON.parse(source) as unknown[] | Record<string, unknown>
    if (Array.isArray(members)) for (const member of members) this.#add('', member)
    else for (const name of Object.keys(members)) this.#add(name, members[name])
  }

  /** Looks whether the last member that is to be parsed is a number. */
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
   * Reads the long member that is looked at on its own, after those before it.
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

  /** Reads the array, object or string that begins at an index. */
  *#readLong(start: number): Steps<{ value: unknown; end: number }> {
    const text = this.#text
    if (text.charCodeAt(start) === quote) return yield* readString(text, start, this.#pieceLength)
    if (!closing.has(text.charAt(start))) throw new SyntaxError('There is text before a bracket')
    return yield* new Container(text, start, this.#pieceLength, this.#depth + 1).read()
  }
}

/** Characters of a piece of JSON text, or a little more. */
const TEXT_PIECE_LENGTH = 16 * 1024

/**
 * What JSON.stringify makes of a value that was read from JSON, in pieces: other work need not wait for a large one. A
 * single string is one piece, however long it is.
 */
export function* stringifyJsonInSlices(value: unknown): Steps<string[]> {
  const pieces: string[] = []
  let text = ''
  yield* write(value, 1)
  pieces.push(text)
  return pieces

  function* write(inner: unknown, depth: number): Steps<void> {
    if (typeof inner !== 'object' || inner === null || depth > DEEPEST) {
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
}
