import { expect, it } from 'vitest'
import { LargeMap, LargeSet } from './largeMap.js'

/** More keys than the first map holds. */
const keys = Array.from({ length: 150_000 }, (_, index) => `key ${index}`)

it('is like a plain map, also beyond the first of its maps', () => {
  const map = new LargeMap<number>()
  const expected = new Map<string, number>()
  for (const [index, key] of keys.entries()) {
    map.set(key, index)
    expected.set(key, index)
  }
  for (let index = 0; index < keys.length; index += 3) {
    expect(map.delete(keys[index]!)).toBe(true)
    expected.delete(keys[index]!)
  }
  for (let index = 0; index < keys.length; index += 2) {
    map.set(keys[index]!, -index)
    expected.set(keys[index]!, -index)
  }
  expect(map.size).toBe(expected.size)
  expect(keys.filter((key) => map.get(key) !== expected.get(key))).toEqual([])
  expect([...map].sort()).toEqual([...expected].sort())
  expect(map.get('another key')).toBeUndefined()
  expect(map.delete('another key')).toBe(false)
})

it('is like a plain set, also beyond the first of its maps', () => {
  const set = new LargeSet()
  for (const key of [...keys, ...keys]) set.add(key)
  expect(set.size).toBe(keys.length)
  expect(keys.every((key) => set.has(key))).toBe(true)
  expect(set.has('another key')).toBe(false)
  expect([set.delete(keys[0]!), set.delete(keys[0]!), set.delete(keys[149_999]!)]).toEqual([
    true,
    false,
    true,
  ])
  expect(set.has(keys[149_999]!)).toBe(false)
})
