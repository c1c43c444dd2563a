import type { PieceWriter } from './pieceWriter.js'

/** Writes a JSON array value by value, or an object member by member, with what stands between them. */
export class ListWriter {
  readonly #writer: PieceWriter
  readonly #brackets: '[]' | '{}'
  #isEmpty = true

  constructor(writer: PieceWriter, brackets: '[]' | '{}' = '[]') {
    this.#writer = writer
    this.#brackets = brackets
  }

  /** @param text - of a value or member, or of its beginning: the rest may be appended to the writer */
  append(text: string): void {
    this.#writer.append((this.#isEmpty ? this.#brackets.charAt(0) : ',') + text)
    this.#isEmpty = false
  }

  /** Ends the array or object. */
  end(): void {
    this.#writer.append(this.#isEmpty ? this.#brackets : this.#brackets.charAt(1))
  }
}
