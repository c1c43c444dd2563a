import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Mutex } from '../../encoding/timeSlice.js'
import type { MinedBlock } from '../chain.js'
import { Clock, MiningSchedule } from './schedule.js'

const day = 24 * 60 * 60 * 1000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a monthly interval mines once a month, although no timer waits that long', async () => {
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

const parent = 5_000n
const clockAt = (now: bigint) => new Clock({ now: () => now, minimumStep: 1n })

test('after a move forward and back, the next block has its original timestamp', () => {
  const clock = clockAt(1_000n)
  clock.increase(600n, parent)
  expect(clock.peek(parent)).toBe(parent + 600n)
  clock.increase(-600n, parent)
  expect(clock.peek(parent)).toBe(parent + 1n)
  expect(clock.now()).toBe(1_000n)
})

test('a fixed timestamp does not place a block before one mined in between', () => {
  const clock = clockAt(1_000n)
  clock.setNext(parent + 10n, parent)
  expect(clock.peek(parent)).toBe(parent + 10n)
  expect(clock.peek(parent + 20n)).toBe(parent + 21n)
  expect(clock.peekUnfixed(parent)).toBe(parent + 1n)
})
