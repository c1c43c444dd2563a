import { keysOf } from './jsonKeys.js'
import type { Steps } from './timeSlice.js'

/** Approximate characters per piece of JSON text. */
const PIECE_LENGTH = 16 * 1024
/** Longest string written in one step, in characters. */
export const STRING_AT_ONCE = 64 * 1024

/** An array or object being written. */
interface Writing {
  value: object
  /** Names of its members; undefined for an array. */
  names: readonly string[] | undefined
  length: number
  written: number
}

/**
 * Incremental JSON.stringify of a value parsed from JSON: yields between pieces, so that a large value does not hold up
 * other work, however deep it is.
 */
export function* stringifyJsonInSteps(value: unknown): Steps<string[]> {
  const pieces: string[] = []
  /** From the outermost. */
  const containers: Writing[] = []
  let text = ''
  let next = value
  for (;;) {
    if (typeof next === 'object' && next !== null) {
      containers.push(writingOf(next))
      text += Array.isArray(next) ? '[' : '{'
    } else if (typeof next === 'string' && next.length > STRING_AT_ONCE) {
      for (const part of longString(next)) {
        pieces.push(text + part)
        text = ''
        yield
      }
    } else text += JSON.stringify(next) ?? 'null'
    if (text.length >= PIECE_LENGTH) {
      pieces.push(text)
      text = ''
      yield
    }
    let container = containers.at(-1)
    while (container !== undefined && container.written === container.length) {
      text += container.names === undefined ? ']' : '}'
      containers.pop()
      container = containers.at(-1)
    }
    if (container === undefined) {
      pieces.push(text)
      return pieces
    }
    const { names, value: parent } = container
    const index = container.written++
    if (index > 0) text += ','
    if (names === undefined) next = (parent as readonly unknown[])[index]
    else {
      const name = names[index] as string
      text += `${JSON.stringify(name)}:`
      next = (parent as Record<string, unknown>)[name]
    }
  }
}

/** Incremental JSON.stringify of a value parsed from JSON, encoded as UTF-8. */
export function* encodeJsonInSteps(value: unknown): Steps<Uint8Array> {
  const pieces = yield* stringifyJsonInSteps(value)
  const [first = ''] = pieces
  if (pieces.length === 1) return Buffer.from(first)
  let length = 0
  for (const piece of pieces) {
    length += Buffer.byteLength(piece)
    yield
  }
  const bytes = Buffer.allocUnsafeSlow(length)
  let end = 0
  for (const piece of pieces) {
    end += bytes.write(piece, end)
    yield
  }
  return bytes
}

function writingOf(value: object): Writing {
  const names = Array.isArray(value) ? undefined : keysOf(value).filter((name) => isDefined(value, name))
  return { value, names, length: names?.length ?? (value as readonly unknown[]).length, written: 0 }
}

/** Whether JSON.stringify writes a member: calls in process may have members that are undefined. */
function isDefined(value: object, name: string): boolean {
  return (value as Readonly<Record<string, unknown>>)[name] !== undefined
}

/** Writes a string in parts. */
export function* longString(value: string): Generator<string> {
  yield '"'
  for (const part of partsOf(value)) yield JSON.stringify(part).slice(1, -1)
  yield '"'
}

/** Returns the parts of a text, without separating surrogate pairs. */
export function* partsOf(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    const end = start + STRING_AT_ONCE
    const isPair = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800
    const part = text.slice(start, isPair ? end + 1 : end)
    yield part
    start += part.length
  }
}
