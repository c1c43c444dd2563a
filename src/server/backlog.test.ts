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
  /** Callbacks that end work in progress, oldest first. */
  const ends: (() => void)[] = []
  const ask = () => backlog.handle(() => new Promise<void>((resolve) => ends.push(resolve)), report)
  const end = async () => {
    ends.shift()?.()
    await new Promise(setImmediate)
  }
  return { source, backlog, ends, ask, end }
}

const turn = () => new Promise(setImmediate)
const turns = async (count: number) => {
  for (let index = 0; index < count; index++) await turn()
}

test('the first of several simultaneous messages starts at once, the others in later turns', async () => {
  const { ends, ask } = connection()
  for (let count = 0; count < 3; count++) ask()
  expect(ends.length).toBeLessThan(2)
  await turns(20)
  expect(ends).toHaveLength(3)
})

test('few messages are in progress at first, and one more after each small answer', async () => {
  const { source, ends, ask, end } = connection()
  for (let count = 0; count < 20; count++) ask()
  await turns(40)
  expect(ends).toHaveLength(8)
  expect(source.isPaused).toBe(true)
  await end()
  await turns(10)
  // One has ended, and the limit has grown by one.
  expect(ends).toHaveLength(9)
})

test('at most 256 messages are in progress', async () => {
  const { ends, ask, end } = connection()
  for (let count = 0; count < 1000; count++) ask()
  for (let count = 0; count < 300; count++) await end()
  await turns(1000)
  expect(ends).toHaveLength(256)
})

test('large answers limit messages in progress to what fits into the unsent bytes', async () => {
  const { ends, ask, end, backlog } = connection()
  for (let count = 0; count < 100; count++) ask()
  for (let count = 0; count < 30; count++) await end()
  await turns(100)
  expect(ends).toHaveLength(38)
  backlog.answered(4 * 1024 * 1024)
  // The next answer admits one more than the four that fit.
  for (let count = 0; count < 38; count++) await end()
  expect(ends.length).toBeLessThan(38)
})

test('unread answers hold the connection back until they have left', async () => {
  const { source, backlog, ends, ask, end } = connection()
  for (let count = 0; count < 20; count++) ask()
  await turns(40)
  source.waitingBytes = 16 * 1024 * 1024 + 1
  for (let count = 0; count < 8; count++) await end()
  await turns(40)
  expect(ends).toHaveLength(0)
  expect(source.isPaused).toBe(true)
  source.waitingBytes -= 1
  backlog.resume()
  expect(ends).toHaveLength(1)
})

test('synchronous work leaves room for the next', async () => {
  const { source, backlog } = connection()
  let done = 0
  for (let count = 0; count < 5000; count++) backlog.handle(() => void done++, report)
  while (done < 5000) await turn()
  expect(source.isPaused).toBe(false)
})

test('work yields to other connections', async () => {
  const { backlog } = connection()
  let done = 0
  let atFirstTurn = 0
  setImmediate(() => (atFirstTurn = done))
  const busy = () => {
    const start = performance.now()
    while (performance.now() - start < 1) done += 0
    done++
  }
  for (let count = 0; count < 50; count++) backlog.handle(busy, report)
  while (done < 50) await turn()
  expect(atFirstTurn).toBeLessThan(50)
})

test('work that has not started is dropped with the connection', async () => {
  const { backlog, ends, ask, end } = connection()
  for (let count = 0; count < 3; count++) ask()
  backlog.clear()
  await end()
  await turns(5)
  expect(ends).toHaveLength(0)
})
