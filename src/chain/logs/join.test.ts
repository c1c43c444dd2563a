import { describe, expect, test } from 'vitest'
import { allOf, anyOf, type Posting, type PostingCursor } from './join.js'
import { decodePosting, encodePosting } from '../block/indexRecord.js'

/** A cursor over postings in memory that counts seeks and checks that it only moves forward. */
function cursorOver(postings: readonly Posting[], seeks = { count: 0 }): PostingCursor {
  let least = -1
  return {
    async seek(ordinal) {
      seeks.count++
      expect(ordinal).toBeGreaterThanOrEqual(least)
      least = ordinal
      return postings.find((posting) => posting.ordinal >= ordinal)
    },
    async close() {},
  }
}

async function collect(postings: AsyncIterable<Posting>): Promise<Posting[]> {
  const found: Posting[] = []
  for await (const posting of postings) found.push(posting)
  return found
}

/** A small seeded generator, so that a failure can be reproduced. */
function generator(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % below
  }
}

describe('postings', () => {
  test('survive encoding and decoding', () => {
    for (const indices of [[], [0], [127, 128], [1, 2, 3, 1_000, 100_000, 2_000_000]]) {
      expect(decodePosting(encodePosting(indices))).toEqual(indices)
    }
  })
})

describe('joins', () => {
  test('agree with a plain filter for many random conditions', async () => {
    for (let seed = 1; seed <= 300; seed++) {
      const next = generator(seed)
      const logs = Array.from({ length: 60 }, (_, i) => ({
        ordinal: Math.floor(i / (1 + next(4))),
        index: i,
        values: Array.from({ length: 3 }, () => next(4)),
      }))
      const groups = Array.from({ length: 1 + next(3) }, (_, position) => ({
        position,
        values: [...new Set(Array.from({ length: 1 + next(3) }, () => next(4)))],
      }))
      const from = next(10)
      const rows = (position: number, value: number): Posting[] => {
        const byOrdinal = new Map<number, number[]>()
        for (const log of logs) {
          if (log.values[position] !== value) continue
          byOrdinal.set(log.ordinal, [...(byOrdinal.get(log.ordinal) ?? []), log.index])
        }
        return [...byOrdinal].sort(([a], [b]) => a - b).map(([ordinal, indices]) => ({ ordinal, indices }))
      }
      const cursors = groups.map(({ position, values }) =>
        anyOf(values.map((value) => cursorOver(rows(position, value)))),
      )
      const found = (await collect(allOf(cursors, from))).flatMap(({ indices }) => [...(indices ?? [])])
      const wanted = logs
        .filter((log) => log.ordinal >= from)
        .filter((log) => groups.every(({ position, values }) => values.includes(log.values[position]!)))
        .sort((a, b) => a.ordinal - b.ordinal || a.index - b.index)
        .map(({ index }) => index)
      expect(found).toEqual(wanted)
    }
  })

  test('cost as much as the rarest condition', async () => {
    const dense = Array.from({ length: 10_000 }, (_, ordinal) => ({ ordinal, indices: [0] }))
    const seeks = { count: 0 }
    const found = await collect(
      allOf([cursorOver(dense, seeks), cursorOver([{ ordinal: 9_000, indices: [0] }])], 0),
    )
    expect(found).toEqual([{ ordinal: 9_000, indices: [0] }])
    expect(seeks.count).toBeLessThan(10)
  })

  test('a condition without indices matches all logs of a block', async () => {
    const any = cursorOver([{ ordinal: 1 }, { ordinal: 3 }])
    expect(await collect(allOf([any], 0))).toEqual([{ ordinal: 1 }, { ordinal: 3 }])
  })
})
