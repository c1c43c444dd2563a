import { expect, it } from 'vitest'
import { humanBytes } from './textForm.js'

// What go-humanize prints (Kubo 0.42.0, `dag stat`): halves go to the even neighbour.
it.each([
  [9, '9 B'],
  [54, '54 B'],
  [1500, '1.5 kB'],
  [262_509, '262 kB'],
  [263_500, '264 kB'],
  [262_600, '263 kB'],
])('formats %i bytes as %s', (bytes, text) => {
  expect(humanBytes(bytes)).toBe(text)
})
