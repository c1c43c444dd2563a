import { once } from 'node:events'
import { expect, test } from 'vitest'
import { Journal, keepableParams } from './journal.js'

const request = {
  time: 0,
  network: 'local',
  transport: 'http',
  status: 200,
  milliseconds: 0,
  credits: 0,
  bytes: 0,
} as const

test('a failing listener affects neither the request nor other listeners', async () => {
  const journal = new Journal({ capacity: 10 })
  const failure = new Error('the listener is wrong')
  const received: number[] = []
  journal.listen(() => {
    throw failure
  })
  journal.listen(({ id }) => received.push(id))
  // The test runner counts an uncaught exception as a test failure.
  const runners = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException')
  try {
    const uncaught = once(process, 'uncaughtException')
    journal.record({ ...request })
    expect(received).toEqual([1])
    expect(await uncaught).toContain(failure)
  } finally {
    for (const runner of runners) process.on('uncaughtException', runner)
  }
})

test('it keeps the newest requests, oldest first', () => {
  const journal = new Journal({ capacity: 3 })
  for (let i = 0; i < 5; i++) journal.record({ ...request })
  expect(journal.list().map(({ id }) => id)).toEqual([3, 4, 5])
  expect(journal.list({}, 2).map(({ id }) => id)).toEqual([4, 5])
})

test.each<[string, unknown]>([
  ['a long text', ['x'.repeat(20_000)]],
  ['a long name', [{ ['x'.repeat(20_000)]: 1 }]],
  ['many values', [Array.from({ length: 300 }, (_, i) => i)]],
])('parameters with %s are not kept', (_, params) => {
  expect(keepableParams(params)).toBe('(too large for the journal)')
})

test('other parameters are kept unchanged', () => {
  const params = [{ to: '0x01', data: `0x${'ab'.repeat(4000)}` }, 'latest', null]
  expect(keepableParams(params)).toBe(params)
})
