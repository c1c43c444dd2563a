import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { PushQueue } from './pushQueue.js'

/** Longer than all work together has the event loop. */
function occupyTurn(): void {
  for (const end = performance.now() + 10; performance.now() < end;);
}

it('sends pushes in their order, and yields between them', async () => {
  const queue = new PushQueue()
  const sent: (number | string)[] = []
  for (let number = 0; number < 4; number++) {
    queue.add(() => {
      sent.push(number)
      occupyTurn()
    })
  }
  expect(sent.length).toBeLessThan(2)
  await setImmediate()
  sent.push('other work')
  while (sent.length < 5) await setImmediate()
  expect(sent.indexOf('other work')).toBeLessThan(4)
  expect(sent.filter((each) => typeof each === 'number')).toEqual([0, 1, 2, 3])
})

it('holds a hundred thousand pushes at most', async () => {
  const queue = new PushQueue()
  const sent: number[] = []
  queue.add(occupyTurn)
  queue.add(occupyTurn)
  const added = 250_000
  for (let number = 0; number < added; number++) queue.add(() => sent.push(number))
  expect(added - sent.length).toBeGreaterThan(99_000)
  expect(added - sent.length).toBeLessThanOrEqual(100_000)
  while (sent.length < added) await setImmediate()
  expect(sent.every((number, index) => number === index)).toBe(true)
})
