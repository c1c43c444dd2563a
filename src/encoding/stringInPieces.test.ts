import { describe, expect, it } from 'vitest'
import { parseStringInPieces } from './stringInPieces.js'
import { runAtOnce } from './timeSlice.js'

const parts = ['a', '\\\\', '\\"', '\\u00e9', '\\ud83d\\ude00', '\\n', 'é', '\u{1f600}', '0123456789']

/** What is made of a literal, or that it is refused. */
function outcome(parse: () => unknown): unknown {
  try {
    return parse()
  } catch (error) {
    expect(error).toBeInstanceOf(SyntaxError)
    return 'refused'
  }
}

describe('as JSON.parse', () => {
  it('takes escapes wherever a piece ends', () => {
    for (let seed = 0; seed < 3000; seed++) {
      const inner = Array.from(
        { length: seed % 40 },
        (_, index) => parts[(seed * 7 + index * (seed % 5)) % 9],
      )
      const literal = `"${inner.join('')}"`
      const text = `[1,${literal}]`
      const parsed = runAtOnce(parseStringInPieces(text, 3, 3 + literal.length, 12 + (seed % 5)))
      expect(parsed, literal).toBe(JSON.parse(literal))
    }
  })

  it.each(['"', '"a', 'a"', '"\\"', '"\\x"', '"\\u12"', '"a\nb"', '"\u0001"', '"0123456789ab\\"'])(
    'refuses %j',
    (literal) => {
      expect(outcome(() => runAtOnce(parseStringInPieces(literal, 0, literal.length, 12)))).toBe('refused')
      expect(outcome(() => JSON.parse(literal))).toBe('refused')
    },
  )
})
