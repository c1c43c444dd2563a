import { rememberKeys } from './jsonKeys.js'
import { type Characters, endOfPlainString, endOfString, skipWhitespace } from './jsonText.js'
import { type Steps, runToCompletion } from './timeSlice.js'

/** Maximum nesting depth of arrays and objects (Go: encoding/json/scanner.go, maxNestingDepth). */
export const MAX_NESTING = 10_000

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
export function* parseStringInSteps(
  text: Characters,
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

const [quote, comma, colon] = [0x22, 0x2c, 0x3a]
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d]

/** Limits of a long text. */
export interface JsonLimits {
  /** Elements of an array. */
  elements: number
  /** Members of an object. */
  members: number
  /** Arrays and objects in the text. */
  containers: number
  /** Characters of a string. */
  characters: number
}

/** To add more elements or members, V8 copies all of them, which takes up to 30 ms. */
const withinTime: JsonLimits = {
  elements: 2 ** 21,
  members: 170_000,
  containers: Infinity,
  characters: Infinity,
}
/** Limits of a call. V8's garbage collector stops other work while it moves many small values that are in use. */
export const callLimits: JsonLimits = { ...withinTime, containers: 2 ** 20 }
/** Limits of texts that may stop other work for a moment. */
export const unlimited: JsonLimits = { ...withinTime, elements: Infinity, members: Infinity }

/**
 * Incremental JSON.parse: yields between pieces, so that a long text does not hold up other work. Member names may
 * have {@link MAX_NAME_LENGTH} characters, and long arrays and objects be nested {@link MAX_NESTING} deep.
 *
 * @throws SyntaxError if the text is not JSON
 */
export function* parseJsonInSteps(
  text: Characters,
  { pieceLength = PIECE_LENGTH, limits = withinTime } = {},
): Steps<unknown> {
  const start = skipWhitespace(text, 0)
  if (text.length <= pieceLength) return JSON.parse(text.slice(0))
  refuseLongNumber(text, start)
  const code = text.charCodeAt(start)
  if (code !== quote && code !== openBracket && code !== openBrace) {
    // A number, true, false or null: what follows cannot be part of it.
    const end = start + MAX_NUMBER_LENGTH
    if (skipWhitespace(text, end) < text.length) throw new SyntaxError(TEXT_AFTER)
    return JSON.parse(text.slice(start, end))
  }
  if (code !== quote) return yield* new ContainerReader(text, start, { pieceLength, limits }).read()
  const end = yield* endOfString(text, start)
  if (skipWhitespace(text, end) < text.length) throw new SyntaxError(TEXT_AFTER)
  refuseLongString(end - start - 2, limits)
  return yield* parseStringInSteps(text, start, end, pieceLength)
}

/** Receives elements of an array, their starts, and the index after the comma or bracket that ends them. */
type TakeElements = (elements: readonly unknown[], starts: readonly number[], next: number) => Steps<void>

/**
 * Parses a text that is an array, like {@link parseJsonInSteps}, but hands over its elements piece by piece instead of
 * collecting them.
 *
 * @throws SyntaxError if the text is not JSON
 */
export function* parseElementsInSteps(
  text: string,
  take: TakeElements,
  { pieceLength = PIECE_LENGTH, limits = withinTime } = {},
): Steps<void> {
  yield* new ContainerReader(text, skipWhitespace(text, 0), { pieceLength, limits }, take).read()
}

const TEXT_AFTER = 'There is text after the JSON value'

/** Maximum characters of a member name, which is parsed in one step. */
const MAX_NAME_LENGTH = 1024 * 1024

/** Maximum characters of a number: JSON.parse takes milliseconds per million of them. */
const MAX_NUMBER_LENGTH = 64 * 1024
const longNumber = new RegExp(`^[-+.\\deE]{${MAX_NUMBER_LENGTH}}`)

/** @throws SyntaxError if a number too long to parse in one step begins at `start` */
function refuseLongNumber(text: Characters, start: number): void {
  if (longNumber.test(text.slice(start, start + MAX_NUMBER_LENGTH)))
    throw new SyntaxError(`A number has more than ${MAX_NUMBER_LENGTH} characters`)
}

/** There are too many members, arrays or objects, or a string is too long. */
export class JsonLimitError extends SyntaxError {}

/** @throws JsonLimitError if a string has too many characters */
function refuseLongString(length: number, { characters }: JsonLimits): void {
  if (length > characters) throw new JsonLimitError(`A string has more than ${characters} characters`)
}

/** Maximum characters of a member parsed together with others: name, white space and a value that is not long. */
const MAX_MEMBER_LENGTH = 8 * 1024 * 1024

/** An array or object that is parsed member by member. */
class Container {
  readonly isArray: boolean
  readonly #value: unknown[] | Record<string, unknown>
  readonly #names: string[] = []
  /** Start of the unparsed text. */
  start: number
  /** Whether that is the comma or the end after a member that was parsed on its own. */
  isAfterMember = false
  /** Name of the member that is being parsed on its own. */
  name = ''

  readonly #limits: JsonLimits

  constructor(isArray: boolean, start: number, limits: JsonLimits) {
    this.isArray = isArray
    this.#limits = limits
    this.#value = isArray ? [] : {}
    this.start = start
  }

  add(name: string, member: unknown): void {
    const value = this.#value
    const { elements, members } = this.#limits
    if (Array.isArray(value)) {
      if (value.push(member) <= elements) return
      throw new JsonLimitError(`An array has more than ${elements} elements`)
    }
    if (!Object.hasOwn(value, name) && this.#names.push(name) > members) {
      throw new JsonLimitError(`An object has more than ${members} members`)
    }
    if (name === '__proto__') {
      Object.defineProperty(value, name, {
        value: member,
        configurable: true,
        enumerable: true,
        writable: true,
      })
    } else value[name] = member
  }

  /** Returns the array or object once all members were added. */
  complete(): unknown {
    if (!this.isArray) rememberKeys(this.#value, this.#names)
    return this.#value
  }
}

/**
 * Parses a text that is an array or object. It is scanned once; long arrays and objects are parsed member by member, at
 * every depth, and short members together.
 */
class ContainerReader {
  readonly #text: Characters
  readonly #pieceLength: number
  readonly #limits: JsonLimits
  readonly #takeElements: TakeElements | undefined
  /** Where the arrays and objects around the scanned text begin, from the outermost, and the last members in them. */
  readonly #opens: number[]
  readonly #members: number[]
  /** Those of them that are parsed member by member. The others are inside the last member of the innermost one. */
  readonly #containers: Container[] = []
  /** Starts of the outermost array's elements that were not handed over. */
  #starts: number[]

  constructor(
    text: Characters,
    start: number,
    { pieceLength, limits }: { pieceLength: number; limits: JsonLimits },
    takeElements?: TakeElements,
  ) {
    this.#text = text
    this.#pieceLength = pieceLength
    this.#limits = limits
    this.#takeElements = takeElements
    this.#opens = [start]
    this.#members = [start + 1]
    this.#starts = [start + 1]
    this.#enter()
  }

  *read(): Steps<unknown> {
    const [text, opens, members, containers] = [this.#text, this.#opens, this.#members, this.#containers]
    const { containers: mostOpened } = this.#limits
    let opened = 1
    let rested = this.#innermost.start
    for (let index = rested; index < text.length; index++) {
      if (index - rested > SCANNED_AT_ONCE) {
        rested = index
        yield
      }
      const code = text.charCodeAt(index)
      if (code === quote) {
        const end = endOfPlainString(text, index) ?? (yield* endOfString(text, index))
        if (end - index > this.#pieceLength && (yield* this.#takeLongString(index, end))) {
          index = this.#afterMember(end) - 1
        } else index = end - 1
      } else if (code === comma) {
        if (opens.length === containers.length) yield* this.#takeIfLong(index)
        if (opens.length === 1 && this.#takeElements !== undefined) this.#starts.push(index + 1)
        members[opens.length - 1] = index + 1
      } else if (code === openBracket || code === openBrace) {
        if (++opened > mostOpened) {
          throw new JsonLimitError(`There are more than ${mostOpened} arrays and objects`)
        }
        opens.push(index)
        members.push(index + 1)
      } else if (code === closeBracket || code === closeBrace) {
        if (opens.length === containers.length) {
          const value = yield* this.#leave(index)
          if (containers.length === 0) return value
          yield* this.#add(value, index + 1)
          index = this.#afterMember(index + 1) - 1
        } else {
          opens.pop()
          members.pop()
        }
      }
      while (this.#isLong(index)) yield* this.#descend()
    }
    throw new SyntaxError('The JSON text ends too early')
  }

  get #innermost(): Container {
    return this.#containers.at(-1) as Container
  }

  /** Start of the last member of the innermost container. */
  get #member(): number {
    return this.#members[this.#containers.length - 1] as number
  }

  /** Whether the scanned text is inside a long member of the innermost container. */
  #isLong(index: number): boolean {
    return this.#opens.length > this.#containers.length && index - this.#member >= this.#pieceLength
  }

  /** Begins to parse the innermost member, an array or object, member by member. */
  #enter(): void {
    const open = this.#opens[this.#containers.length] as number
    const depth = this.#containers.push(
      new Container(this.#text.charCodeAt(open) === openBracket, open + 1, this.#limits),
    )
    if (depth > MAX_NESTING) throw new SyntaxError('Arrays and objects are nested too deeply')
  }

  /** Parses what precedes the last member of the innermost container, and then that on its own. */
  *#descend(): Steps<void> {
    yield* this.#takeBefore()
    if ((yield* this.#startOfValue()) !== this.#opens[this.#containers.length]) {
      throw new SyntaxError('There is text before a bracket')
    }
    this.#enter()
  }

  /** Ends the innermost container at its closing bracket. */
  *#leave(index: number): Steps<unknown> {
    const container = this.#innermost
    const { isArray, start, isAfterMember } = container
    if (this.#text.charCodeAt(index) !== (isArray ? closeBracket : closeBrace)) {
      throw new SyntaxError('An array or object has the wrong closing bracket')
    }
    // It may be empty, but must not end after a comma.
    const isAfterComma = this.#text.charCodeAt(start - 1) === comma
    const isEmpty = !isAfterComma && skipWhitespace(this.#text, start) >= index
    if (!isAfterMember && !isEmpty) yield* this.#take(index)
    this.#containers.pop()
    this.#opens.pop()
    this.#members.pop()
    if (this.#containers.length === 0 && skipWhitespace(this.#text, index + 1) < this.#text.length) {
      throw new SyntaxError(TEXT_AFTER)
    }
    return container.complete()
  }

  /** Parses a long string on its own. @returns false if it is a name instead */
  *#takeLongString(start: number, end: number): Steps<boolean> {
    while (this.#opens.length > this.#containers.length) yield* this.#descend()
    const isValue = this.#innermost.isArray || skipWhitespace(this.#text, this.#member) < start
    if (!isValue) {
      if (end - start <= MAX_NAME_LENGTH) return false
      throw new SyntaxError(`A member's name has more than ${MAX_NAME_LENGTH} characters`)
    }
    refuseLongString(end - start - 2, this.#limits)
    yield* this.#takeBefore()
    if ((yield* this.#startOfValue()) !== start) throw new SyntaxError('There is text before a string')
    yield* this.#add(yield* parseStringInSteps(this.#text, start, end, this.#pieceLength), end)
    return true
  }

  /** Finds where the value of the innermost container's last member begins, and notes its name. */
  *#startOfValue(): Steps<number> {
    const [text, container] = [this.#text, this.#innermost]
    const start = skipWhitespace(text, this.#member)
    if (container.isArray) return start
    if (text.charCodeAt(start) !== quote) throw new SyntaxError('A member has no name')
    const endOfName = yield* endOfString(text, start)
    container.name = String(JSON.parse(text.slice(start, endOfName)))
    const afterName = skipWhitespace(text, endOfName)
    if (text.charCodeAt(afterName) !== colon) throw new SyntaxError('A member has no value')
    return skipWhitespace(text, afterName + 1)
  }

  /** Adds a member that was parsed on its own. */
  *#add(value: unknown, end: number): Steps<void> {
    if (this.#containers.length === 1 && this.#takeElements !== undefined) {
      yield* this.#takeElements([value], this.#starts.splice(0), end + 1)
    } else this.#innermost.add(this.#innermost.name, value)
    yield
  }

  /** Continues after a member that was parsed on its own. @returns the index of the comma or closing bracket */
  #afterMember(end: number): number {
    const index = skipWhitespace(this.#text, end)
    const code = this.#text.charCodeAt(index)
    if (code !== comma && code !== closeBracket && code !== closeBrace) {
      throw new SyntaxError('There is text after a member')
    }
    this.#innermost.start = index
    this.#innermost.isAfterMember = true
    return index
  }

  /** Parses the members before a comma if they are long enough. */
  *#takeIfLong(end: number): Steps<void> {
    const container = this.#innermost
    if (container.isAfterMember) {
      container.isAfterMember = false
      container.start = end + 1
    } else if (end - container.start >= this.#pieceLength) {
      yield* this.#take(end)
      container.start = end + 1
      yield
    }
  }

  *#takeBefore(): Steps<void> {
    const [container, member] = [this.#innermost, this.#member]
    if (member > container.start) {
      const last = this.#containers.length === 1 ? this.#starts.pop() : undefined
      yield* this.#take(member - 1)
      if (last !== undefined) this.#starts.push(last)
      container.start = member
    }
    yield
  }

  /** Parses the unparsed members before an index. */
  *#take(end: number): Steps<void> {
    const container = this.#innermost
    const { start, isArray } = container
    if (skipWhitespace(this.#text, start) >= end) throw new SyntaxError('A member is missing')
    if (end - this.#member > MAX_MEMBER_LENGTH) throw new SyntaxError('A member is too long')
    if (end - this.#member > MAX_NUMBER_LENGTH) this.#checkNumber()
    const source = this.#text.slice(start, end)
    if (!isArray) {
      const members = JSON.parse(`{${source}}`) as Record<string, unknown>
      for (const name of Object.keys(members)) container.add(name, members[name])
      return
    }
    const elements = JSON.parse(`[${source}]`) as unknown[]
    if (this.#containers.length === 1 && this.#takeElements !== undefined) {
      yield* this.#takeElements(elements, this.#starts.splice(0), end + 1)
    } else for (const element of elements) container.add('', element)
  }

  /** Checks the length of the last unparsed member if it is a number. */
  #checkNumber(): void {
    const start = skipWhitespace(this.#text, this.#member)
    const isNamed = !this.#innermost.isArray && this.#text.charCodeAt(start) === quote
    const behind = isNamed
      ? skipWhitespace(this.#text, runToCompletion(endOfString(this.#text, start))) + 1
      : start
    refuseLongNumber(this.#text, skipWhitespace(this.#text, behind))
  }
}
