import { describe, expect, test } from 'vitest'
import type { OptionKind } from './kinds.js'
import * as kinds from './kinds.js'

const file = { keys: [] }

describe.each<[name: string, kind: OptionKind<unknown>, taken: [unknown, unknown][], refused: unknown[]]>([
  ['toggle', kinds.toggle('').kind, [[false, false]], ['true', 1, null]],
  [
    'wholeNumber',
    kinds.wholeNumber({ minimum: 1, maximum: 9 }),
    [
      [1, 1],
      [9, 9],
    ],
    [0, 10, 1.5, '1', 1n, NaN],
  ],
  ['wholeNumber', kinds.wholeNumber(), [[2 ** 53 - 1, 2 ** 53 - 1]], [2 ** 53, -1]],
  [
    'decimalNumber',
    kinds.decimalNumber({ minimum: 0, valueName: 'N' }),
    [[0.5, 0.5]],
    [-0.1, '0.5', Infinity, NaN],
  ],
  [
    'bigWholeNumber',
    kinds.bigWholeNumber({ minimum: 2n }),
    [
      [2, 2n],
      [2n ** 70n, 2n ** 70n],
      ['0xFf', 255n],
      ['12', 12n],
    ],
    [1, 1n, '1', 2 ** 53, 2.5, '', '0x', '-2', null],
  ],
  ['choice', kinds.choice(['a', 'b']), [['b', 'b']], ['c', 'A', 0]],
  ['text', kinds.text('N', /^x/), [['xy', 'xy']], ['y', '', 1]],
  ['wordCount', kinds.wordCount(), [[24, 24]], [13, '12']],
  [
    'fileOrContent',
    kinds.fileOrContent(),
    [
      ['a.json', 'a.json'],
      [file, file],
    ],
    ['', null, 1],
  ],
  [
    'list',
    kinds.list(kinds.bigWholeNumber()),
    [
      [
        ['0x1', 2],
        [1n, 2n],
      ],
      [[], []],
    ],
    ['1', [1, -1], { 0: 1 }],
  ],
])('%s', (_, kind, taken, refused) => {
  test.each(taken)('accepts %s', (value, checked) => expect(kind.check(value)).toEqual(checked))
  test.each(refused.map((value) => [value]))('refuses %s', (value) =>
    expect(kind.check(value)).toBeUndefined(),
  )
})

test('reads the words of a switch and ignores others, even names of object members', () => {
  const { fromText } = kinds.toggle('').kind
  expect(['true', '1', '', 'false', '0'].map(fromText)).toEqual([true, true, true, false, false])
  expect(['constructor', '__proto__', 'yes'].map(fromText)).toEqual(['constructor', '__proto__', 'yes'])
})
