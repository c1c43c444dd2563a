import { expect, it } from 'vitest'
import { goCleanPath } from './goPath.js'

// Examples of Go's package path: Clean.
it.each([
  ['a/c', 'a/c'],
  ['a//c', 'a/c'],
  ['a/c/.', 'a/c'],
  ['a/c/b/..', 'a/c'],
  ['/../a/c', '/a/c'],
  ['/../a/b/../././/c', '/a/c'],
  ['', '.'],
  ['../../a/..', '../..'],
  ['/', '/'],
  ['a/', 'a'],
])('cleans %j like Go', (path, clean) => {
  expect(goCleanPath(path)).toBe(clean)
})

it('refuses a path of too many segments', () => {
  expect(goCleanPath('a/../'.repeat(32_767))).toBe('.')
  expect(() => goCleanPath('a/../'.repeat(32_768))).toThrow('more than 65536 segments')
})
