import { expect, it } from 'vitest'
import { runAtOnce } from './timeSlice.js'
import { sortInPieces } from './sortInPieces.js'

/** Numbers that look random (a linear congruential generator), many of them more than once. */
function numbers(length: number): number[] {
  let state = 1
  return Array.from({ length }, () => (state = (state * 48_271) % 2_147_483_647) % 1000)
}

it.each([0, 1, 2, 511, 512, 513, 1024, 5000])(
  'sorts %i items, and leaves those alone that are equal',
  (length) => {
    const items = numbers(length).map((key, index) => ({ key, index }))
    const expected = [...items].sort((a, b) => a.key - b.key)
    expect(runAtOnce(sortInPieces(items, (a, b) => a.key - b.key))).toEqual(expected)
  },
)

it('stops every thousand items or sooner', () => {
  const sorting = sortInPieces(numbers(50_000), (a, b) => a - b)
  let pieces = 0
  while (sorting.next().done !== true) pieces++
  // Sorted in runs first, which are then merged in seven rounds.
  expect(pieces).toBeGreaterThan(8 * 50)
})
