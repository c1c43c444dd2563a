import { MAX_NESTING } from '../../encoding/json.js'
import { type Characters, endOfPlainString, endOfString, skipWhitespace } from '../../encoding/jsonText.js'
import type { Steps } from '../../encoding/timeSlice.js'

const structural = /["{}[\]]/g

/**
 * Returns the index after the JSON value at `start`.
 *
 * Follows brackets and strings without checking the grammar; an unterminated value ends with the text.
 */
function* endOfValue(text: string, start: number): Steps<number> {
  const first = text[start]
  if (first === '"') return endOfPlainString(text, start) ?? (yield* endOfString(text, start))
  if (first !== '{' && first !== '[') {
    let end = start
    for (let piece = start + PIECE_LENGTH; end < text.length; end++) {
      const code = text.charCodeAt(end)
      if (
        code === 0x2c ||
        code === 0x5d ||
        code === 0x7d ||
        code === 0x20 ||
        code === 0x09 ||
        code === 0x0a ||
        code === 0x0d
      )
        break
      if (end < piece) continue
      piece = end + PIECE_LENGTH
      yield
    }
    return end
  }
  let depth = 0
  let index = start
  let piece = start + PIECE_LENGTH
  for (;;) {
    // Shared with other scans, which run between pieces.
    structural.lastIndex = index
    const match = structural.exec(text)
    if (match === null) return text.length
    const place = match.index
    index =
      match[0] === '"' ? (endOfPlainString(text, place) ?? (yield* endOfString(text, place))) : place + 1
    if (match[0] === '{' || match[0] === '[') depth += 1
    else if (match[0] !== '"') depth -= 1
    if (depth === 0) return index
    if (index < piece) continue
    piece = index + PIECE_LENGTH
    yield
  }
}

/** Characters scanned per piece. */
const PIECE_LENGTH = 64 * 1024

/** Whitespace runs longer than this between tokens are removed before parsing. */
const LONG_SPACE = 64 * 1024

/** Result of {@link scanStructure}. */
export interface Structure {
  /** Whether arrays and objects are nested deeper than {@link MAX_NESTING}. */
  isTooDeep: boolean
  /** Whitespace runs between tokens that are long enough to remove. */
  longSpaces: ValueSpan[]
}

/** Scans brackets and whitespace of text that may not be valid JSON. */
export function* scanStructure(text: Characters): Steps<Structure> {
  const longSpaces: ValueSpan[] = []
  let depth = 0
  let piece = PIECE_LENGTH
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === 0x22) index = (endOfPlainString(text, index) ?? (yield* endOfString(text, index))) - 1
    else if (code === 0x5b || code === 0x7b) depth++
    else if (code === 0x5d || code === 0x7d) depth--
    else if (code <= 0x20 && index + LONG_SPACE < text.length && isSpace(text, index + LONG_SPACE)) {
      const end = yield* endOfSpace(text, index)
      if (end - index > LONG_SPACE) longSpaces.push({ start: index, end })
      index = Math.max(index, end - 1)
    }
    if (depth > MAX_NESTING) return { isTooDeep: true, longSpaces }
    if (index < piece) continue
    piece = index + PIECE_LENGTH
    yield
  }
  return { isTooDeep: false, longSpaces }
}

function isSpace(text: Characters, index: number): boolean {
  return skipWhitespace(text.charAt(index), 0) === 1
}

function* endOfSpace(text: Characters, start: number): Steps<number> {
  let index = start
  for (;;) {
    const piece = text.slice(index, index + PIECE_LENGTH)
    const length = skipWhitespace(piece, 0)
    index += length
    if (length < piece.length || length === 0) return index
    yield
  }
}

/** Removes the given parts, which must be in order. */
export function removeSpans(text: string, parts: readonly ValueSpan[]): string {
  if (parts.length === 0) return text
  const ends = [0, ...parts.map(({ end }) => end)]
  const starts = [...parts.map(({ start }) => start), text.length]
  return ends.map((end, index) => text.slice(end, starts[index])).join('')
}

/** Members or elements scanned per piece. */
const MEMBERS_AT_ONCE = 512

/** Position of a value in its source text. */
export interface ValueSpan {
  start: number
  end: number
}

/** Returns the starts of the elements of the array at `start`; the text must be valid JSON. */
export function* arrayElements(text: string, start: number): Steps<number[]> {
  const elements: number[] = []
  let index = skipWhitespace(text, start + 1)
  while (text[index] !== ']') {
    elements.push(index)
    index = skipWhitespace(text, yield* endOfValue(text, index))
    if (text[index] === ',') index = skipWhitespace(text, index + 1)
    if (elements.length % MEMBERS_AT_ONCE === 0) yield
  }
  return elements
}

/** Returns the members of the object at `start` in source order; the text must be valid JSON. */
export function* objectMembers(text: string, start: number): Steps<(ValueSpan & { name: string })[]> {
  const members: (ValueSpan & { name: string })[] = []
  let index = skipWhitespace(text, start + 1)
  while (text[index] !== '}') {
    const endOfName = endOfPlainString(text, index) ?? (yield* endOfString(text, index))
    const name = String(JSON.parse(text.slice(index, endOfName)))
    const colon = skipWhitespace(text, endOfName)
    const valueStart = skipWhitespace(text, colon + 1)
    const end = yield* endOfValue(text, valueStart)
    members.push({ name, start: valueStart, end })
    index = skipWhitespace(text, end)
    if (text[index] === ',') index = skipWhitespace(text, index + 1)
    if (members.length % MEMBERS_AT_ONCE === 0) yield
  }
  return members
}
