import { MAX_NESTING } from './json.js'
import { runToCompletion, type Steps } from './timeSlice.js'

/** What the JSON grammar allows next. */
type Expectation = 'value' | 'valueOrEnd' | 'key' | 'keyOrEnd' | 'colon' | 'afterMember' | 'afterElement'

/** Go's context for an unexpected character. */
const unexpected: Readonly<Record<Expectation, string>> = {
  value: 'looking for beginning of value',
  valueOrEnd: 'looking for beginning of value',
  key: 'looking for beginning of object key string',
  keyOrEnd: 'looking for beginning of object key string',
  colon: 'after object key',
  afterMember: 'after object key:value pair',
  afterElement: 'after array element',
}

/** Syntax error in a JSON text: position, and Go's wording. */
interface Fault {
  index: number
  message: string
}

/** End of a token, or the fault in it. */
type Token = { end: number } | Fault

/**
 * Describes the syntax error in the first JSON value of a text with Go's message (encoding/json, scanner.go), which
 * geth sends over IPC.
 *
 * @returns undefined if the value is valid or merely ends too early
 */
export function* describeSyntaxErrorInSteps(text: string): Steps<string | undefined> {
  const read = yield* readValue(text)
  return read === undefined || 'end' in read ? undefined : describe(text, read)
}

/**
 * Describes what keeps a text from being exactly one JSON value, with Go's message (`json.Unmarshal`), which geth sends
 * on a WebSocket; undefined if it is one.
 */
export function describeJsonFault(text: string): string | undefined {
  return runToCompletion(describeJsonFaultInSteps(text))
}

/** Incremental version of {@link describeJsonFault}. */
export function* describeJsonFaultInSteps(text: string): Steps<string | undefined> {
  // At the end of the text Go reads a space, which ends any token.
  const ended = `${text} `
  const read = yield* readValue(ended)
  if (read === undefined) return 'unexpected end of JSON input'
  if (!('end' in read)) return describe(ended, read)
  const index = yield* skipSpace(text, read.end)
  return index < text.length ? describe(text, { index, message: 'after top-level value' }) : undefined
}

function describe(text: string, { index, message }: Fault): string {
  return `invalid character ${quote(text, index)} ${message}`
}

/** Characters scanned in one step. */
const PIECE_LENGTH = 16 * 1024

/** Scans the first value of a text; undefined if the text ends inside it. */
function* readValue(text: string): Steps<Token | undefined> {
  const open: ('{' | '[')[] = []
  let expected: Expectation = 'value'
  let index = 0
  let piece = PIECE_LENGTH
  for (;;) {
    if (index > piece) {
      piece = index + PIECE_LENGTH
      yield
    }
    index = yield* skipSpace(text, index)
    if (index >= text.length) return undefined
    const character = text.charAt(index)
    const fault = { index, message: unexpected[expected] }
    const closes = closing(expected, open.at(-1)) === character
    if (closes) {
      open.pop()
      index += 1
    } else if (expected === 'colon' || expected === 'afterMember' || expected === 'afterElement') {
      if (character !== (expected === 'colon' ? ':' : ',')) return fault
      expected = expected === 'afterMember' ? 'key' : 'value'
      index += 1
      continue
    } else if (
      (expected === 'value' || expected === 'valueOrEnd') &&
      (character === '{' || character === '[')
    ) {
      open.push(character)
      if (open.length > MAX_NESTING) return { index, message: 'exceeded max depth' }
      expected = character === '{' ? 'keyOrEnd' : 'valueOrEnd'
      index += 1
      continue
    } else {
      const token =
        expected === 'key' || expected === 'keyOrEnd'
          ? yield* readKey(text, fault)
          : yield* readScalar(text, fault)
      if (!('end' in token)) return token.index >= text.length ? undefined : token
      index = token.end
      if (expected === 'key' || expected === 'keyOrEnd') {
        expected = 'colon'
        continue
      }
    }
    const enclosing = open.at(-1)
    if (enclosing === undefined) return { end: index }
    expected = enclosing === '{' ? 'afterMember' : 'afterElement'
  }
}

/** Returns the position of the first character from `index` on that is not whitespace. */
function* skipSpace(text: string, index: number): Steps<number> {
  let end = index
  while (end < text.length && ' \t\r\n'.includes(text.charAt(end))) {
    end += 1
    if ((end - index) % PIECE_LENGTH === 0) yield
  }
  return end
}

/** Returns the bracket that may close the open one here. */
function closing(expected: Expectation, open: '{' | '[' | undefined): string | undefined {
  if (expected === 'keyOrEnd' || expected === 'afterMember') return open === '{' ? '}' : undefined
  return expected === 'valueOrEnd' || expected === 'afterElement' ? ']' : undefined
}

function* readKey(text: string, fault: Fault): Steps<Token> {
  return text[fault.index] === '"' ? yield* readString(text, fault.index) : fault
}

function* readScalar(text: string, fault: Fault): Steps<Token> {
  const { index } = fault
  const character = text.charAt(index)
  if (character === '"') return yield* readString(text, index)
  if (character === '-' || isDigit(character)) return yield* readNumber(text, index)
  const word = ['true', 'false', 'null'].find((literal) => literal[0] === character)
  return word === undefined ? fault : readLiteral(text, index, word)
}

function readLiteral(text: string, start: number, word: string): Token {
  for (let offset = 1; offset < word.length; offset++) {
    const index = start + offset
    if (text[index] !== word[offset]) {
      return { index, message: `in literal ${word} (expecting '${word.charAt(offset)}')` }
    }
  }
  return { end: start + word.length }
}

function* readString(text: string, start: number): Steps<Token> {
  let piece = start + PIECE_LENGTH
  for (let index = start + 1; index < text.length; index++) {
    if (index > piece) {
      piece = index + PIECE_LENGTH
      yield
    }
    const character = text.charAt(index)
    if (character === '"') return { end: index + 1 }
    if (character < ' ') return { index, message: 'in string literal' }
    if (character !== '\\') continue
    index += 1
    if (text[index] === 'u') {
      const digits = /^[0-9a-f]{0,4}/i.exec(text.slice(index + 1, index + 5))?.[0].length ?? 0
      index += digits
      if (digits < 4) return { index: index + 1, message: 'in \\u hexadecimal character escape' }
    } else if (!'bfnrt\\/"'.includes(text.charAt(index))) {
      return { index, message: 'in string escape code' }
    }
  }
  return { index: text.length, message: '' }
}

function* readNumber(text: string, start: number): Steps<Token> {
  let index = text[start] === '-' ? start + 1 : start
  const wholeEnd = text[index] === '0' ? index + 1 : yield* endOfDigits(text, index)
  if (wholeEnd === index) return { index, message: 'in numeric literal' }
  index = wholeEnd
  if (text[index] === '.') {
    const end = yield* endOfDigits(text, index + 1)
    if (end === index + 1) return { index: end, message: 'after decimal point in numeric literal' }
    index = end
  }
  if (text[index] === 'e' || text[index] === 'E') {
    index += text[index + 1] === '+' || text[index + 1] === '-' ? 2 : 1
    const end = yield* endOfDigits(text, index)
    if (end === index) return { index, message: 'in exponent of numeric literal' }
    index = end
  }
  return { end: index }
}

/** Returns the position of the first character from `start` on that is not a digit. */
function* endOfDigits(text: string, start: number): Steps<number> {
  let end = start
  while (isDigit(text.charAt(end))) {
    end += 1
    if ((end - start) % PIECE_LENGTH === 0) yield
  }
  return end
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9'
}

/** Quotes a character like Go, which sees the first byte of one beyond ASCII. */
function quote(text: string, index: number): string {
  const character = text.charAt(index)
  if (character === "'") return "'\\''"
  if (character === '"') return `'"'`
  const [byte = 0] = Buffer.from(String.fromCodePoint(text.codePointAt(index) ?? 0))
  if (byte >= 0x80) return `'${String.fromCharCode(byte)}'`
  return `'${JSON.stringify(character)
    .slice(1, -1)
    .replace(/^\\u00(..)$/, '\\x$1')}'`
}
