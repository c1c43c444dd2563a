import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { ReplyQueue } from './reply.js'

afterEach(() => {
  vi.restoreAllMocks()
})

/** A queue, and the names of the answers that were written. */
function openQueue() {
  const queue = new ReplyQueue()
  const written: string[] = []
  const connect = () => {
    const names: string[] = []
    return {
      names,
      write: () => written.push(names.shift() ?? ''),
    }
  }
  const [first, second, third] = [connect(), connect(), connect()]
  const send = (name: string, connection: ReturnType<typeof connect>): void => {
    connection.names.push(name)
    queue.send(connection)
  }
  return { queue, written, send, first, second, third }
}

test('answers to different connections leave together at the end of the turn, in their order', async () => {
  const { written, send, first, second, third } = openQueue()
  send('a', first)
  send('b', second)
  send('c', third)
  expect(written).toEqual([])
  await nextTurn()
  expect(written).toEqual(['a', 'b', 'c'])
  await nextTurn()
  expect(written).toHaveLength(3)
})

test('a client that asks alone is answered at once', async () => {
  const { written, send, first, second } = openQueue()
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
  const { queue, written, send, second } = openQueue()
  queue.send({ write: () => send('of the next request', second) })
  await nextTurn()
  expect(written).toEqual([])
  await nextTurn()
  expect(written).toEqual(['of the next request'])
})

test('answers wait no longer than a millisecond for requests that are still to be taken', async () => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(5000)
  const { queue, written, send, first, second } = openQueue()
  send('a', first)
  clock.mockReturnValue(5000.9)
  queue.writeOverdue()
  expect(written).toEqual([])
  send('b', second)
  clock.mockReturnValue(5001.1)
  queue.writeOverdue()
  expect(written).toEqual(['a', 'b'])
  await nextTurn()
  expect(written).toHaveLength(2)
})
