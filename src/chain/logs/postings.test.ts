import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase, type Database } from '../../storage/database.js'
import { keyspaceOf } from '../../storage/keyspace.js'
import { createTemporaryDirectory, removeTemporaryDirectory } from '../../storage/temporaryDirectory.js'
import { WriteBatch } from '../../storage/writeBatch.js'
import { LonePostings } from './lonePostings.js'
import { openPostings, type PostingSource } from './postings.js'
import { logRows, type LogCriterion } from './rows.js'

const BLOCKS = 200
const keys = keyspaceOf(3)
const lone = new LonePostings()
const directory = createTemporaryDirectory()
let database: Database
let walks = 0

/** Topics of the log of a block: one that all have, one that seven have, one that it alone has. */
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
    for (const { criterion, posting } of logRows([log])) {
      if (criterion.kind === 'topic')
        batch.put(keys.log(criterion.position, criterion.topic, ordinal), posting)
      lone.add(criterion, ordinal)
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

test('are the same by walks and by keys, in every range', async () => {
  const byKey = { database, keys, lonePosting: (criterion: LogCriterion) => lone.find(criterion) }
  const byWalk = { database, keys, lonePosting: () => undefined }
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
          // Whoever follows a rarer criterion first asks for an ordinal inside the range, or behind it.
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

test('need no walk for what is in one block, in none, or in a range of one', async () => {
  const source = { database, keys, lonePosting: (criterion: LogCriterion) => lone.find(criterion) }
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
