import { afterEach, expect, it, vi } from 'vitest'
import { countTurns, endEverySlice } from '../../test/support/turns.js'
import { TurnQueue } from './turnQueue.js'

afterEach(() => {
  vi.restoreAllMocks()
})

it('does one work after another, with turns between them, and goes on behind one that fails', async () => {
  endEverySlice()
  const queue = new TurnQueue()
  const done: number[] = []
  const faults: unknown[] = []
  const failure = new Error('it fails')
  const turns = await countTurns(
    () =>
      new Promise<void>((resolve) => {
        for (let index = 0; index < 20; index++) {
          queue.add(
            async () => {
              await Promise.resolve()
              if (index === 3) throw failure
              done.push(index)
              if (index === 19) resolve()
            },
            (fault) => faults.push(fault),
          )
        }
      }),
  )
  expect(done).toEqual([0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19])
  expect(faults).toEqual([failure])
  expect(turns).toBeGreaterThan(19)
})
