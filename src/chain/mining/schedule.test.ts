import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { MinedBlock } from '../chain.js'
import { Mutex } from '../../encoding/mutex.js'
import { MiningSchedule } from './schedule.js'

const day = 24 * 60 * 60 * 1000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a block a month is one a month, although no timer waits so long', async () => {
  const mutex = new Mutex()
  let blocks = 0
  const chain = {
    exclusively: <T>(work: () => T | Promise<T>) => mutex.run(work),
    mine: async () => {
      blocks++
      return {} as MinedBlock
    },
    mineEachReady: async () => undefined,
  }
  const report = (fault: unknown): never => {
    throw fault
  }
  const schedule = new MiningSchedule(chain, { automine: false, interval: 30 * day }, { report })
  await vi.advanceTimersByTimeAsync(29 * day)
  expect(blocks).toBe(0)
  await vi.advanceTimersByTimeAsync(2 * day)
  expect(blocks).toBe(1)
  await vi.advanceTimersByTimeAsync(30 * day)
  expect(blocks).toBe(2)
  schedule.close()
})
