import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WriteBatch, openDatabase } from './database.js'

const bytes = (...values: number[]) => Uint8Array.from(values)

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'standin-walks-test-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const writeAheadFiles = () => readdirSync(directory).filter((name) => name.startsWith('write-ahead-'))

describe('iterate and openCursor', () => {
  const fill = async () => {
    const database = await openDatabase({ directory, sync: false })
    for (let i = 0; i < 5000; i++)
      database.write(new WriteBatch().put(bytes(7, i >> 8, i & 255), bytes(i & 255)))
    database.write(new WriteBatch().put(bytes(6), bytes(0)).put(bytes(8), bytes(0)))
    return database
  }
  const numberOf = (key: Uint8Array) => (key[1] ?? 0) * 256 + (key[2] ?? 0)
  const range = { gte: bytes(7, 0, 10), lt: bytes(8) }

  it('walks fresh writes, forwards, backwards and limited', async () => {
    const database = await fill()
    const collect = async (options: object) => {
      const numbers: number[] = []
      for await (const [key] of database.iterate({ ...range, ...options })) numbers.push(numberOf(key))
      return numbers
    }
    const all = Array.from({ length: 4990 }, (_, i) => i + 10)
    expect(await collect({})).toEqual(all)
    expect(await collect({ reverse: true })).toEqual(all.toReversed())
    expect(await collect({ limit: 3 })).toEqual([10, 11, 12])
    await database.close()
  })

  it.each([false, true])('jumps to the next key not before the target, reverse %s', async (reverse) => {
    const database = await fill()
    const cursor = database.openCursor({ ...range, reverse })
    const sign = reverse ? -1 : 1
    let current = numberOf((await cursor.next())?.[0] ?? bytes())
    expect(current).toBe(reverse ? 4999 : 10)
    for (const step of [1, 2, 1, 3, 40, 1, 1, 1, 700, 5, 2000, 1, 0, -50, 1200, 3]) {
      const target = current + step * sign
      cursor.seek(bytes(7, target >> 8, target & 255))
      const found = numberOf((await cursor.next())?.[0] ?? bytes())
      // A target that the walk has passed leaves it where it is.
      current = step <= 0 ? current + sign : target
      expect(found).toBe(current)
    }
    cursor.seek(reverse ? bytes(7, 0, 0) : bytes(8, 1))
    expect(await cursor.next()).toBeUndefined()
    await cursor.close()
    await database.close()
  })
})

describe('walks over entries that have not reached LevelDB', () => {
  /** Small number generator, so that a failure can be reproduced. */
  const generator = (seed: number) => {
    let state = seed
    return (below: number) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
      return (state >>> 8) % below
    }
  }
  const randomKey = (next: (below: number) => number) =>
    bytes(...[next(3), next(3), next(256), next(4)].slice(0, 1 + next(4)))

  it('agree with a sorted list, whether entries are in LevelDB, on their way or in memory', async () => {
    const places = { memory: 0, onTheWay: 0 }
    const database = await openDatabase({ directory, sync: false, writeBufferBytes: 2000 })
    const next = generator(7)
    const model = new Map<string, number>()
    for (let round = 0; round < 2500; round++) {
      const batch = new WriteBatch()
      for (let i = 0; i <= next(5); i++) {
        const key = randomKey(next)
        const value = next(256)
        if (next(3) === 0) {
          batch.delete(key)
          model.delete(Buffer.from(key).toString('hex'))
        } else {
          batch.put(key, bytes(value))
          model.set(Buffer.from(key).toString('hex'), value)
        }
      }
      database.write(batch)
      if (next(20) === 0) await new Promise(setImmediate)
      if (next(5) > 0) continue
      places[writeAheadFiles().length > 1 ? 'onTheWay' : 'memory']++
      const [gte = bytes(), lt = bytes()] = [randomKey(next), randomKey(next)].sort(Buffer.compare)
      const reverse = next(2) === 0
      const limit = next(2) === 0 ? undefined : next(6)
      const wanted = [...model]
        .filter(([key]) => key >= Buffer.from(gte).toString('hex') && key < Buffer.from(lt).toString('hex'))
        .sort(([a], [b]) => (a < b === reverse ? 1 : -1))
        .slice(0, limit)
      const walk = database.openCursor({ gte, lt, reverse, ...(limit !== undefined && { limit }) })
      // Writes after the walk was opened must stay invisible to it.
      database.write(new WriteBatch().put(gte, bytes(1, 2, 3)).delete(bytes(1, 1)))
      model.set(Buffer.from(gte).toString('hex'), -1)
      model.delete('0101')
      const found: [string, number][] = []
      for (let entry = await walk.next(); entry !== undefined; entry = await walk.next()) {
        const [key, value] = entry
        found.push([Buffer.from(key).toString('hex'), value.length === 3 ? -1 : (value[0] ?? 0)])
      }
      expect(found).toEqual(wanted)
      await walk.close()
    }
    expect(places.memory).toBeGreaterThan(0)
    expect(places.onTheWay).toBeGreaterThan(0)
    await database.close()
  })

  it.each([false, true])('jump like a sorted list, reverse %s', async (reverse) => {
    const next = generator(11)
    const database = await openDatabase({ directory, sync: false })
    const keys = new Set<number>()
    const write = (count: number) => {
      for (let i = 0; i < count; i++) {
        const key = next(20_000)
        database.write(new WriteBatch().put(bytes(7, key >> 8, key & 255), bytes(1)))
        keys.add(key)
      }
    }
    write(500)
    await database.flush()
    write(500)
    for (const key of [...keys].slice(0, 900).filter((_, i) => i % 3 === 0)) {
      database.write(new WriteBatch().delete(bytes(7, key >> 8, key & 255)))
      keys.delete(key)
    }
    const sorted = [...keys].sort((a, b) => (reverse ? b - a : a - b))
    for (let round = 0; round < 50; round++) {
      const walk = database.openCursor({ gte: bytes(7), lt: bytes(8), reverse })
      let position = 0
      for (let step = 0; step < 20; step++) {
        if (next(2) === 0) {
          const target = next(20_000)
          walk.seek(bytes(7, target >> 8, target & 255))
          const found = sorted.findIndex((key) => (reverse ? key <= target : key >= target))
          position = Math.max(position, found === -1 ? sorted.length : found)
        }
        const [, high = 0, low = 0] = (await walk.next())?.[0] ?? []
        expect(position < sorted.length ? high * 256 + low : 0).toBe(sorted[position] ?? 0)
        position++
      }
      await walk.close()
    }
    await database.close()
  })

  it('leave the write-ahead file unchanged', async () => {
    const database = await openDatabase({ directory, sync: false })
    database.write(new WriteBatch().put(bytes(1), bytes(1)))
    const [file = ''] = writeAheadFiles()
    const walk = database.openCursor({ gte: bytes(0), lt: bytes(9) })
    expect(await walk.next()).toBeDefined()
    expect(writeAheadFiles()).toEqual([file])
    await walk.close()
    await database.close()
  })
})
