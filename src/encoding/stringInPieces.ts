import type { Pieces } from './timeSlice.js'

/** What stands for something else in a JSON string, or must not stand there. */
const unlikeItself = /[\\"\p{Cc}]/u
/** Characters of the longest escape. */
const ESCAPE_LENGTH = 6

/**
 * What JSON.parse makes of the string literal between two indices, in pieces. Without escapes it is a part of the text,
 * which is not copied.
 *
 * @param pieceLength - characters that are looked at at once
 * @throws SyntaxError if it is no string literal
 */
export function* parseStringInPieces(
  text: string,
  start: number,
  end: number,
  pieceLength: number,
): Pieces<string> {
  const last = end - 1
  if (text.charAt(start) !== '"' || last <= start || text.charAt(last) !== '"') {
    throw new SyntaxError('A string does not end')
  }
  const length = Math.max(pieceLength, 2 * ESCAPE_LENGTH)
  let pieces: string[] | undefined
  for (let at = start + 1; at < last;) {
    const most = text.slice(at, Math.min(at + length, last))
    const piece = at + most.length < last ? most.slice(0, endOfEscapes(most)) : most
    if (unlikeItself.test(piece)) {
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
