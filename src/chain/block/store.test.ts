import { expect, it } from 'vitest'
import { OrdinalSet } from './store.js'

const LAST = 5000
const members = [0, 1, 30, 31, 32, 33, 63, 64, 95, 96, 2048, 2049, 4095, LAST]

function everyAnswer(set: OrdinalSet): (number | undefined)[][] {
  const ordinals = Array.from({ length: LAST + 200 }, (_, ordinal) => ordinal)
  return [
    ordinals.map((ordinal) => set.atOrAbove(ordinal)),
    ordinals.map((ordinal) => set.atOrBelow(ordinal)),
  ]
}

function expectedOf(sorted: readonly number[]): (number | undefined)[][] {
  const ordinals = Array.from({ length: LAST + 200 }, (_, ordinal) => ordinal)
  return [
    ordinals.map((ordinal) => sorted.find((member) => member >= ordinal)),
    ordinals.map((ordinal) => sorted.findLast((member) => member <= ordinal)),
  ]
}

it('finds the nearest member in both directions', () => {
  const set = new OrdinalSet()
  expect(everyAnswer(set)).toEqual(expectedOf([]))
  for (const member of members.toReversed()) set.add(member)
  expect(everyAnswer(set)).toEqual(expectedOf(members))
  for (const member of [0, 31, 64, LAST]) set.delete(member)
  set.delete(100 * LAST)
  expect(everyAnswer(set)).toEqual(expectedOf([1, 30, 32, 33, 63, 95, 96, 2048, 2049, 4095]))
})

it.each([0, 1, 31, 32, 33, 64, 3000])('adds all below %i', (end) => {
  const set = new OrdinalSet()
  set.add(LAST)
  set.addBelow(end)
  const below = Array.from({ length: end }, (_, ordinal) => ordinal)
  expect(everyAnswer(set)).toEqual(expectedOf([...below, LAST]))
})
