import { expect, test } from 'vitest'
import { Backlog } from './backlog.js'

const report = (fault: unknown): never => {
  throw fault
}

function connection() {
  const source = {
    isPaused: false,
    waitingBytes: 0,
    pause: () => {
      source.isPaused = true
    },
    resume: () => {
      source.isPaused = false
    },
  }
  const backlog = new Backlog(source)
  /** Ends the oldest work that has begun. */
  const ends: (() => void)[] = []
  const ask = () => backlog.handle(() => new Promise<void>((resolve) => ends.push(resolve)), report)
  const end = async () => {
    ends.shift()?.()
    await new Promise(setImmediate)
  }
  return { source, backlog, ends, ask, end }
}

test('few messages are in work at first, and one more after each answer that leaves', async () => {
  const { source, ends, ask, end } = connection()
  for (let count = 0; count < 64; count++) ask()
  expect(source.isPaused).toBe(true)
  ask()
  ask()
  expect(ends).toHaveLength(64)
  await end()
  // One has ended, and the limit has grown by one.
  expect(ends).toHaveLength(65)
  expect(source.isPaused).toBe(true)
})

test('a thousand messages in work are as many as are taken', async () => {
  const { ends, ask, end } = connection()
  for (let count = 0; count < 5000; count++) ask()
  for (let count = 0; count < 2000; count++) await end()
  expect(ends).toHaveLength(1000)
})

test('answers that are not read hold the connection back until they have left', async () => {
  const { source, backlog, ends, ask, end } = connection()
  for (let count = 0; count < 64; count++) ask()
  for (let count = 0; count < 10; count++) ask()
  source.waitingBytes = 16 * 1024 * 1024 + 1
  for (let count = 0; count < 64; count++) await end()
  expect(ends).toHaveLength(0)
  expect(source.isPaused).toBe(true)
  source.waitingBytes -= 1
  backlog.resume()
  // What was read meanwhile is begun, as much at once as a slow reader is given.
  expect(ends).toHaveLength(8)
})

test('work that is done at once leaves room for the next', () => {
  const { source, backlog } = connection()
  let done = 0
  for (let count = 0; count < 5000; count++) backlog.handle(() => void done++, report)
  expect(done).toBe(5000)
  expect(source.isPaused).toBe(false)
})
