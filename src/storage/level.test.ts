import { Level } from 'level'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { seededRandom } from '../../test/support/programs.js'
import { DataDirectoryError } from './errors.js'
import { Levels, RowCache } from './level.js'

const row = (length: number, value: number) => new Uint8Array(length).fill(value)

it('returns a copy of the last value kept for a key, until it is forgotten', () => {
  const rows = new RowCache(1024)
  const key = Uint8Array.of(1, 2, 3)
  expect(rows.get(key)).toBeUndefined()
  rows.keep(key, Uint8Array.of(4, 5))
  rows.get(key)!.fill(0)
  expect(rows.get(key)).toEqual(Uint8Array.of(4, 5))
  rows.keep(key, Uint8Array.of(6))
  expect(rows.get(key)).toEqual(Uint8Array.of(6))
  rows.keep(key, new Uint8Array(0))
  expect(rows.get(key)).toEqual(new Uint8Array(0))
  rows.forget(key)
  expect(rows.get(key)).toBeUndefined()
})

it('keeps rows of up to 62 bytes in total, and none longer', () => {
  const rows = new RowCache(1024)
  rows.keep(row(34, 1), row(28, 2))
  expect(rows.get(row(34, 1))).toEqual(row(28, 2))
  rows.keep(row(35, 1), row(28, 2))
  rows.keep(row(300, 1), row(1, 2))
  expect(rows.get(row(35, 1))).toBeUndefined()
  expect(rows.get(row(300, 1))).toBeUndefined()
  rows.keep(row(34, 1), row(29, 2))
  expect(rows.get(row(34, 1))).toBeUndefined()
})

it("keeps most rows while there is room, and never returns another key's value", () => {
  const random = seededRandom(1)
  const rows = new RowCache(64 * 1024)
  const held = new Map<number, number>()
  const keyOf = (number: number) => Uint8Array.of(0, 0x21, number >> 8, number & 255)
  let found = 0
  for (let step = 0; step < 20_000; step++) {
    const number = random(3000)
    const value = rows.get(keyOf(number))
    if (value !== undefined) {
      expect(value[0]! * 256 + value[1]!).toBe(held.get(number))
      found += 1
    }
    if (step % 7 === 0) {
      rows.forget(keyOf(number))
      held.delete(number)
    } else {
      held.set(number, step)
      rows.keep(keyOf(number), Uint8Array.of(step >> 8, step & 255))
    }
  }
  // A third of the rows fits, and a seventh of them is forgotten.
  expect(found).toBeGreaterThan(20_000 / 5)
})

it('fills up except for rows whose set is full', () => {
  const rows = new RowCache(64 * 1024)
  const numbers = Array.from({ length: 512 }, (_, index) => index)
  const keyOf = (number: number) => Uint8Array.of(0, 0x20, 0, 0, 0, 0, number >> 8, number & 255)
  for (const number of numbers) rows.keep(keyOf(number), Uint8Array.of(number & 255))
  const kept = numbers.filter((number) => rows.get(keyOf(number))?.[0] === (number & 255))
  expect(kept.length).toBeGreaterThan(450)
})

it('leaves the second database alone when another process holds the first', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'standin-level-test-'))
  const rows = new Level(join(directory, 'leveldb'))
  await rows.open()
  await expect(Levels.open(directory)).rejects.toThrow(DataDirectoryError)
  await nextTurn()
  expect(existsSync(join(directory, 'nodes'))).toBe(false)
  await rows.close()
  await (await Levels.open(directory)).close()
  await rm(directory, { recursive: true })
})
