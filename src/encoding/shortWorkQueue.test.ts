import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { ShortWorkQueue } from './shortWorkQueue.js'

/** Longer than all work together has the event loop. */
function occupyTurn(): void {
  for (const end = performance.now() + 10; performance.now() < end;);
}

it('does works in their order, and yields between them', async () => {
  const queue = new ShortWorkQueue()
  const done: (number | string)[] = []
  for (let number = 0; number < 4; number++) {
    queue.add(() => {
      done.push(number)
      occupyTurn()
    })
  }
  expect(done.length).toBeLessThan(2)
  await setImmediate()
  done.push('other work')
  while (done.length < 5) await setImmediate()
  expect(done.indexOf('other work')).toBeLessThan(4)
  expect(done.filter((each) => typeof each === 'number')).toEqual([0, 1, 2, 3])
})

it('holds a hundred thousand works at most', async () => {
  const queue = new ShortWorkQueue()
  const done: number[] = []
  queue.add(occupyTurn)
  queue.add(occupyTurn)
  const added = 250_000
  for (let number = 0; number < added; number++) queue.add(() => done.push(number))
  expect(added - done.length).toBeGreaterThan(99_000)
  expect(added - done.length).toBeLessThanOrEqual(100_000)
  while (done.length < added) await setImmediate()
  expect(done.every((number, index) => number === index)).toBe(true)
})
