import { describe, expect, it } from 'vitest'
import { parseJsonInSteps } from './json.js'
import { TextPieces, endOfPlainString, skipWhitespace } from './jsonText.js'
import { runToCompletion } from './timeSlice.js'

/** Cuts a text into pieces of random lengths, some of them empty. */
function piecesOf(text: string, seed: number): TextPieces {
  const pieces = new TextPieces()
  let state = seed
  for (let start = 0; start < text.length;) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    const end = start + (state >>> 29)
    pieces.push(text.slice(start, end))
    start = end
  }
  return pieces
}

describe('a text in pieces', () => {
  const text = `{"a": [1, "b\\"c", {"é": "${'long '.repeat(20)}"}], "f": null, "\u{1f600}": -1.5e3}\n`

  it.each([1, 2, 3, 4])('has the characters and parts of the whole text (%i)', (seed) => {
    const pieces = piecesOf(text, seed)
    expect(pieces.length).toBe(text.length)
    for (let step = 0, index = 0; step < 500; step++, index = (index * 7 + step) % (text.length + 2)) {
      expect(pieces.charCodeAt(index)).toBe(text.charCodeAt(index))
      expect(pieces.charAt(index)).toBe(text.charAt(index))
      expect(pieces.indexOf('"', index)).toBe(text.indexOf('"', index))
      const end = index + (step % 40)
      expect(pieces.slice(index, end)).toBe(text.slice(index, end))
    }
    expect(pieces.slice(5)).toBe(text.slice(5))
  })

  it.each([1, 2, 3, 4])('is parsed like the whole text (%i)', (seed) => {
    for (const pieceLength of [1, 7, 50, 1000]) {
      expect(runToCompletion(parseJsonInSteps(piecesOf(text, seed), { pieceLength }))).toEqual(
        JSON.parse(text),
      )
    }
    expect(endOfPlainString(piecesOf(text, seed), 1)).toBe(4)
  })
})

it('refuses more than a megabyte of whitespace between tokens', () => {
  const spaces = ' '.repeat(2 ** 20)
  expect(skipWhitespace(spaces, 0)).toBe(2 ** 20)
  expect(() => skipWhitespace(`${spaces} `, 0)).toThrow('There are more than 1048576 spaces')
})
