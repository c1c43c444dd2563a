import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { runToCompletion } from '../../encoding/timeSlice.js'
import { type Database, WriteBatch, openDatabase } from '../../storage/database.js'
import { keyspaceOf } from '../../storage/keyspace.js'
import { createTemporaryDirectory, removeTemporaryDirectory } from '../../storage/temporaryDirectory.js'
import { type LogCriterion, type TopicPosition, logRows } from '../block/indexRecord.js'
import { type PostingSource, SingleBlockTable, openPostings } from './postings.js'

const BLOCKS = 200
const keys = keyspaceOf(3)
const table = new SingleBlockTable()
const directory = createTemporaryDirectory()
let database: Database
let walks = 0

/** Topics of a block's log: one shared by all, one shared by seven, one unique. */
const topicsOf = (ordinal: number): Uint8Array[] =>
  [1, 1000 + Math.floor(ordinal / 7), 10_000 + ordinal].map((value) =>
    Buffer.from(value.toString(16).padStart(64, '0'), 'hex'),
  )
const criterionOf = (position: 0 | 1 | 2, ordinal: number): LogCriterion => ({
  kind: 'topic',
  position,
  topic: topicsOf(ordinal)[position]!,
})

beforeAll(async () => {
  database = await openDatabase({ directory, sync: false })
  for (let ordinal = 0; ordinal < BLOCKS; ordinal++) {
    const batch = new WriteBatch()
    const log = { address: new Uint8Array(20), topics: topicsOf(ordinal), data: new Uint8Array(0) }
    for (const { criterion, posting } of runToCompletion(logRows([log]))) {
      if (criterion.kind === 'topic')
        batch.put(keys.log(criterion.position, criterion.topic, ordinal), posting)
      table.add(criterion, ordinal)
    }
    database.write(batch)
  }
  const openCursor = database.openCursor.bind(database)
  database.openCursor = (range) => {
    walks++
    return openCursor(range)
  }
})
afterAll(async () => {
  await database.close()
  await removeTemporaryDirectory(directory)
})

async function ordinalsOf(
  source: PostingSource,
  criterion: LogCriterion,
  { from, to, start = from }: { from: number; to: number; start?: number },
) {
  const cursor = openPostings(source, criterion, { from, to })
  const ordinals: number[] = []
  for (let next = start; ;) {
    const posting = await cursor.seek(next)
    if (posting === undefined) break
    expect(posting.indices).toEqual([0])
    ordinals.push(posting.ordinal)
    next = posting.ordinal + 1
  }
  await cursor.close()
  return ordinals
}

test('postings are the same by iterators and by keys, in every range', async () => {
  const byKey = { database, keys, singleBlock: (criterion: LogCriterion) => table.find(criterion) }
  const byWalk = { database, keys, singleBlock: () => undefined }
  for (const position of [0, 1, 2] as const) {
    for (const ordinal of [0, 1, 6, 7, 100, BLOCKS - 1]) {
      const criterion = criterionOf(position, ordinal)
      const group = [
        () => true,
        (i: number) => Math.floor(i / 7) === Math.floor(ordinal / 7),
        (i: number) => i === ordinal,
      ]
      for (const from of [0, 1, ordinal, 99, BLOCKS - 1]) {
        for (const to of [from, from + 1, ordinal, BLOCKS - 1].filter((last) => last >= from)) {
          // A search led by a rarer criterion first seeks an ordinal inside the range, or after it.
          for (const start of [from, from + 1, Math.max(from, ordinal), ordinal + from + 1]) {
            const expected = Array.from({ length: BLOCKS }, (_, i) => i).filter(
              (i) => i >= start && i <= to && group[position]!(i),
            )
            expect(await ordinalsOf(byKey, criterion, { from, to, start })).toEqual(expected)
            expect(await ordinalsOf(byWalk, criterion, { from, to, start })).toEqual(expected)
          }
        }
      }
    }
  }
})

test('postings need no iterator for a value in one block or none, or for a range of one block', async () => {
  const source = { database, keys, singleBlock: (criterion: LogCriterion) => table.find(criterion) }
  walks = 0
  expect(await ordinalsOf(source, criterionOf(2, 55), { from: 0, to: BLOCKS - 1 })).toEqual([55])
  expect(await ordinalsOf(source, criterionOf(2, BLOCKS + 5), { from: 0, to: BLOCKS - 1 })).toEqual([])
  expect(await ordinalsOf(source, criterionOf(0, 0), { from: 20, to: 20 })).toEqual([20])
  expect(walks).toBe(0)
  expect(await ordinalsOf(source, criterionOf(1, 7), { from: 0, to: BLOCKS - 1 })).toEqual([
    7, 8, 9, 10, 11, 12, 13,
  ])
  expect(walks).toBe(1)
})

const topicOf = (value: number, position: TopicPosition = 0): LogCriterion => ({
  kind: 'topic',
  position,
  topic: createHash('sha256').update(`topic ${value}`).digest(),
})
/** A topic that is a number: most of its bytes are zero. */
const numberOf = (value: number): LogCriterion => ({
  kind: 'topic',
  position: 1,
  topic: Buffer.from(value.toString(16).padStart(64, '0'), 'hex'),
})

describe('SingleBlockTable', () => {
  it('finds the block of a value that occurs in only one block', () => {
    const table = new SingleBlockTable()
    const address: LogCriterion = { kind: 'address', address: new Uint8Array(20).fill(7) }
    expect(table.find(address)).toBe('none')
    table.add(address, 0)
    expect(table.find(address)).toBe(0)
    table.add(address, 0)
    expect(table.find(address)).toBe(0)
    table.add(address, 3)
    expect(table.find(address)).toBeUndefined()
    table.add(topicOf(1, 2), 5)
    expect(table.find(topicOf(1, 2))).toBe(5)
    expect(table.find(topicOf(1, 1))).toBe('none')
  })

  it('does not answer for ordinals beyond 32 bits, nor for criteria without a value', () => {
    const table = new SingleBlockTable()
    table.add(topicOf(1), 2 ** 32 - 3)
    expect(table.find(topicOf(1))).toBe(2 ** 32 - 3)
    table.add(topicOf(2), 2 ** 32 - 2)
    table.add(topicOf(3), 2 ** 47)
    table.add({ kind: 'any' }, 0)
    for (const criterion of [topicOf(2), topicOf(3), { kind: 'any' } as const]) {
      expect(table.find(criterion)).toBeUndefined()
    }
  })

  it.each([
    ['hashes', topicOf],
    ['small numbers', numberOf],
  ])('answers for nearly all of twenty thousand %s', (_, criterionOf) => {
    const table = new SingleBlockTable()
    const values = Array.from({ length: 20_000 }, (_, value) => value)
    for (const value of values) table.add(criterionOf(value), 2 * value)
    const known = values.map((value) => table.find(criterionOf(value)))
    expect(known.every((found, value) => found === 2 * value || found === undefined)).toBe(true)
    // 0.61 values per group on average: one has more than four with a probability of 0.0004, affecting some 60 values.
    expect(known.filter((found) => found === undefined).length).toBeLessThan(200)
    expect(table.find(criterionOf(20_001))).toBe('none')
  })

  it('never answers wrongly when it overflows', () => {
    const table = new SingleBlockTable()
    const values = Array.from({ length: 300_000 }, (_, value) => value)
    for (const value of values) table.add(numberOf(value), value)
    for (const value of values) {
      const found = table.find(numberOf(value))
      if (found !== undefined) expect(found).toBe(value)
    }
  })
})
