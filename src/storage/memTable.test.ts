import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { ChangesInOrder } from './memTable.js'

const GROUP = '\0\x30'
const bytes = (length: number) => randomBytes(length).toString('latin1')

/** Bounds that enclose no keys, some or all keys of a group, long and short ones. */
function someBound(names: readonly string[]): string | undefined {
  const name = names[Math.floor(Math.random() * names.length)] ?? ''
  const cut = Math.floor(Math.random() * (name.length + 3))
  if (cut > name.length) return cut === name.length + 1 ? undefined : `${name}\0`
  return name.slice(0, Math.max(2, cut))
}

test('walks return the keys of their range in order, each once with its latest value, for any write order', () => {
  const values = new Map<string, Uint8Array | null>()
  const group = new ChangesInOrder((name) => values.get(name) ?? null)
  // Few distinct first bytes, so that buckets hold many keys, some of them short.
  const keys = Array.from({ length: 500 }, () => GROUP + bytes(5).slice(0, 1 + Math.floor(Math.random() * 5)))
  keys.push(...Array.from({ length: 500 }, () => `${GROUP}\x01same${bytes(2)}`))
  for (let round = 0; round < 200; round++) {
    for (let i = 0; i < (round % 3 === 0 ? 150 : 3); i++) {
      const name = keys[Math.floor(Math.random() * keys.length)] ?? GROUP
      values.set(name, Math.random() < 0.2 ? null : Uint8Array.of(round))
      group.add(name)
    }
    const [from, to] = [someBound(keys), someBound(keys)]
    const expected = [...values.keys()]
      .filter((name) => (from === undefined || name >= from) && (to === undefined || name < to))
      .sort()
      .map((name) => ({ name, value: values.get(name) }))
    expect(group.between(from, to)).toEqual(expected)
  }
})

test('a walk over the rows of one value sorts only those with its prefix', () => {
  let lookups = 0
  const group = new ChangesInOrder(() => {
    lookups++
    return null
  })
  const topics = Array.from({ length: 10_000 }, (_, i) => {
    const beginning = String.fromCharCode(i >> 8, i & 255)
    return `${GROUP}\x02${beginning}${bytes(30)}`
  })
  for (const topic of topics) group.add(`${topic}\0\0\0\0\0\x01`)
  const topic = topics[5_000] ?? ''
  expect(group.between(`${topic}\0\0\0\0\0\0`, `${topic}\0\0\0\0\0\x09`)).toHaveLength(1)
  expect(lookups).toBe(1)
})
