import { expect, it } from 'vitest'
import { trimBoth, trimEnd } from './trim.js'

it.each([
  ['//a//b///', '//a//b', 'a//b'],
  ['///', '', ''],
  ['a', 'a', 'a'],
  ['', '', ''],
])('trims %j', (text, end, both) => {
  expect(trimEnd(text, '/')).toBe(end)
  expect(trimBoth(text, '/')).toBe(both)
})
