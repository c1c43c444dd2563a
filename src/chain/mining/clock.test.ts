import { expect, test } from 'vitest'
import { Clock } from './clock.js'

const parent = 5_000n
const clockAt = (now: bigint) => new Clock({ now: () => now, minimumStep: 1n })

test('moved forward and back again, the next block is where it would have been', () => {
  const clock = clockAt(1_000n)
  clock.increase(600n, parent)
  expect(clock.peek(parent)).toBe(parent + 600n)
  clock.increase(-600n, parent)
  expect(clock.peek(parent)).toBe(parent + 1n)
  expect(clock.now()).toBe(1_000n)
})

test('a time that was fixed does not put a block before one that came meanwhile', () => {
  const clock = clockAt(1_000n)
  clock.setNext(parent + 10n, parent)
  expect(clock.peek(parent)).toBe(parent + 10n)
  expect(clock.peek(parent + 20n)).toBe(parent + 21n)
  expect(clock.peekUnfixed(parent)).toBe(parent + 1n)
})
