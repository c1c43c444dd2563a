import { CID } from 'multiformats/cid'
import * as Digest from 'multiformats/hashes/digest'
import { expect, it } from 'vitest'
import { LinkTable } from './linkTable.js'

/** Returns a distinct CID for each number. */
function cidOf(number: number): CID {
  const digest = new Uint8Array(32)
  new DataView(digest.buffer).setUint32(0, number)
  return CID.createV1(0x55, Digest.create(0x12, digest))
}

it('returns links as they were put, and finds them by name', () => {
  const table = new LinkTable()
  const names = Array.from({ length: 5000 }, (_, index) => `entry ${index} é`)
  for (const [index, name] of names.entries()) table.put(name, { cid: cidOf(index), size: index * 2 ** 33 })
  expect(table.length).toBe(5000)
  expect(names.every((name) => table.has(name))).toBe(true)
  expect(table.has('entry 5000 é')).toBe(false)
  expect([...table].map(({ name }) => name)).toEqual(names)
  expect(table.at(4321)).toEqual({ name: names[4321], cid: cidOf(4321), size: 4321 * 2 ** 33 })
  expect(table.at(5000)).toBeUndefined()
})

it('accepts names longer than a page, and the empty one', () => {
  const table = new LinkTable()
  const long = 'n'.repeat(200_000)
  table.put('', { cid: cidOf(1), size: 1 })
  table.put(long, { cid: cidOf(2), size: 2 })
  table.put('after', { cid: cidOf(3), size: 3 })
  expect([table.has(''), table.has(long), table.has('after'), table.has('n')]).toEqual([
    true,
    true,
    true,
    false,
  ])
  expect(table.at(1)?.name).toBe(long)
  expect(table.at(2)?.size).toBe(3)
})
