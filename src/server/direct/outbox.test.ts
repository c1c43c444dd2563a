import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { ReplyQueue } from './outbox.js'

afterEach(() => {
  vi.restoreAllMocks()
})

const [first, second, third] = [{}, {}, {}]

/** An outbox, and the names of the answers that were written. */
function openOutbox() {
  const outbox = new ReplyQueue()
  const written: string[] = []
  const send = (name: string, connection: object): void =>
    outbox.send({ connection, write: () => written.push(name) })
  return { outbox, written, send }
}

test('answers to different connections leave together at the end of the turn, in their order', async () => {
  const { written, send } = openOutbox()
  send('a', first)
  send('b', second)
  send('c', third)
  expect(written).toEqual([])
  await nextTurn()
  expect(written).toEqual(['a', 'b', 'c'])
  await nextTurn()
  expect(written).toHaveLength(3)
})

test('who asks alone is answered at once', async () => {
  const { written, send } = openOutbox()
  send('a', first)
  await nextTurn()
  send('b', first)
  send('c', first)
  expect(written).toEqual(['a', 'b', 'c'])
  send('d', second)
  expect(written).toEqual(['a', 'b', 'c'])
  await nextTurn()
  expect(written).toEqual(['a', 'b', 'c', 'd'])
})

test('an answer waits for the end of its turn when writing another one brought it about', async () => {
  const { outbox, written, send } = openOutbox()
  outbox.send({ connection: first, write: () => send('of the next request', second) })
  await nextTurn()
  expect(written).toEqual([])
  await nextTurn()
  expect(written).toEqual(['of the next request'])
})

test('answers wait no longer than a millisecond for requests that are still to be taken', async () => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(5000)
  const { outbox, written, send } = openOutbox()
  send('a', first)
  clock.mockReturnValue(5000.9)
  outbox.writeOverdue()
  expect(written).toEqual([])
  send('b', second)
  clock.mockReturnValue(5001.1)
  outbox.writeOverdue()
  expect(written).toEqual(['a', 'b'])
  await nextTurn()
  expect(written).toHaveLength(2)
})
