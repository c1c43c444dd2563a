import type { WirePiece } from '../wire.js'

/** Text is turned into bytes in pieces of about this length. */
const PIECE_LENGTH = 262_144

/**
 * Takes a long text bit by bit and keeps it as bytes, outside of the heap: as one string, or as many small ones, it would
 * take several times its length. A short one, or what is left at the end, stays text: bytes outside of the heap cost more
 * than a few of them are worth.
 */
export class PieceWriter {
  readonly #pieces: WirePiece[] = []
  #text = ''

  append(text: string): void {
    this.#text += text
    if (this.#text.length > PIECE_LENGTH) this.#flush()
  }

  /** Takes a piece that another writer made. */
  take(piece: WirePiece): void {
    if (typeof piece === 'string') return this.append(piece)
    this.#flush()
    this.#pieces.push(piece)
  }

  /** Everything that was taken so far. */
  pieces(): readonly WirePiece[] {
    return this.#text === '' ? this.#pieces : [...this.#pieces, this.#text]
  }

  #flush(): void {
    if (this.#text === '') return
    this.#pieces.push(Buffer.from(this.#text))
    this.#text = ''
  }
}
