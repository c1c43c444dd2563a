import type { WirePiece } from '../wire.js'

/** Text is turned into bytes in pieces of about this length. */
const PIECE_LENGTH = 262_144

/**
 * Takes a long text bit by bit and keeps it as bytes, outside of the heap: as one string, or as many small ones, it would
 * take several times its length.
 */
export class PieceWriter {
  readonly #pieces: WirePiece[] = []
  #text = ''

  append(text: string): void {
    this.#text += text
    if (this.#text.length > PIECE_LENGTH) this.#flush()
  }

  /** Takes a piece as it is: what another writer made, or what was read. */
  take(piece: WirePiece): void {
    this.#flush()
    this.#pieces.push(piece)
  }

  /** Everything that was taken so far. */
  pieces(): readonly WirePiece[] {
    this.#flush()
    return this.#pieces
  }

  #flush(): void {
    if (this.#text === '') return
    this.#pieces.push(Buffer.from(this.#text))
    this.#text = ''
  }
}
