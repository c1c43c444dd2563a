import { expect, it } from 'vitest'
import { countTurnsByClockReads } from '../../../test/support/turns.js'
import { sortByName } from './node.js'

it('sorts by the UTF-8 bytes of names, not by UTF-16 units', async () => {
  // In UTF-16 the emoji comes first: U+D83D U+DE00 before U+FF5E.
  const names = ['\u{1f600}', '\uff5e', 'b', 'ab', '\u00e4', 'a', 'Z', '']
  const expected = ['', 'Z', 'a', 'ab', 'b', '\u00e4', '\uff5e', '\u{1f600}']
  expect(await sortByName(names, (name) => name)).toEqual(expected)
})

it('yields while it sorts', async () => {
  const names = Array.from({ length: 5000 }, (_, index) => `file ${(index * 7919) % 5000}`)
  const turns = await countTurnsByClockReads(() => sortByName(names, (name) => name))
  expect(turns).toBeGreaterThan(500)
})
