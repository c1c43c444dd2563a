import type { Steps } from './timeSlice.js'

/** What a parser needs of a text, which may be a string. */
export interface Characters {
  readonly length: number
  charCodeAt(index: number): number
  charAt(index: number): string
  /** Returns the first index of a character from `start` on; -1 if there is none. */
  indexOf(character: string, start: number): number
  slice(start: number, end?: number): string
}

/**
 * A long text in pieces, as it is read. V8 copies a string of fifty megabytes in fifty milliseconds, during which
 * nobody else is served, and has none of more than 512 MB.
 */
export class TextPieces implements Characters {
  length = 0
  readonly #pieces: string[] = []
  /** Index of the first character of each piece. */
  readonly #starts: number[] = []
  /** The piece that was read last: a parser reads most characters in order. */
  #number = 0
  #piece = ''
  #start = 0

  push(piece: string): void {
    if (piece === '') return
    this.#starts.push(this.length)
    this.#pieces.push(piece)
    this.length += piece.length
  }

  charCodeAt(index: number): number {
    const offset = index - this.#start
    if (offset >= 0 && offset < this.#piece.length) return this.#piece.charCodeAt(offset)
    if (index < 0 || index >= this.length) return NaN
    this.#moveTo(index)
    return this.#piece.charCodeAt(index - this.#start)
  }

  charAt(index: number): string {
    return this.slice(index, index + 1)
  }

  indexOf(character: string, start: number): number {
    for (let index = start; index < this.length; index = this.#start + this.#piece.length) {
      this.#moveTo(index)
      const offset = this.#piece.indexOf(character, index - this.#start)
      if (offset !== -1) return this.#start + offset
    }
    return -1
  }

  /** Copies a part that spans pieces. The indices must not be negative. */
  slice(start: number, end = this.length): string {
    const parts: string[] = []
    const last = Math.min(end, this.length)
    for (let index = start; index < last; index = this.#start + this.#piece.length) {
      this.#moveTo(index)
      parts.push(this.#piece.slice(index - this.#start, last - this.#start))
    }
    return parts.length === 1 ? (parts[0] as string) : parts.join('')
  }

  /** Makes the piece with a character the current one. */
  #moveTo(index: number): void {
    let [low, high] = index < this.#start ? [0, this.#number - 1] : [this.#number, this.#pieces.length - 1]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((this.#starts[middle] as number) <= index) low = middle
      else high = middle - 1
    }
    this.#number = low
    this.#piece = this.#pieces[low] as string
    this.#start = this.#starts[low] as number
  }
}

/** Maximum whitespace between tokens that is skipped in one step. */
const MAX_SPACE_LENGTH = 1024 * 1024

/**
 * Returns the index of the first character from `index` on that is not JSON whitespace.
 *
 * @throws SyntaxError if there is too much whitespace to skip in one step
 */
export function skipWhitespace(text: Characters, index: number): number {
  let end = index
  for (let code = text.charCodeAt(end); code <= 0x20; code = text.charCodeAt(++end)) {
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) break
    if (end - index === MAX_SPACE_LENGTH)
      throw new SyntaxError(`There are more than ${MAX_SPACE_LENGTH} spaces`)
  }
  return end
}

/** Quotes and backslashes scanned in one step. */
const ESCAPES_AT_ONCE = 16 * 1024

/**
 * Returns the index after the string literal that starts at `start`, or the length of the text if it is
 * unterminated.
 */
export function* endOfString(text: Characters, start: number): Steps<number> {
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
export function endOfPlainString(text: Characters, start: number): number | undefined {
  const quote = text.indexOf('"', start + 1)
  if (quote === -1) return text.length
  return text.charCodeAt(quote - 1) === 0x5c ? undefined : quote + 1
}
