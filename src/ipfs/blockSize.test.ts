import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { readAll } from './blockSize.js'

const LIMIT = 64 * 2 ** 20
const piece = new Uint8Array(2 ** 20)

/** Yields sixty pieces of a mebibyte, and ends once it may. */
function createInput() {
  const input = { taken: 0, end: (): void => undefined, source: source() }
  const mayEnd = new Promise<void>((resolve) => (input.end = resolve))
  async function* source() {
    for (; input.taken < 60; input.taken++) yield piece
    await mayEnd
  }
  return input
}

test('a large input waits until others are complete', async () => {
  const [first, second, third] = [createInput(), createInput(), createInput()]
  const earlier = [first, second].map(({ source }) => readAll(source, LIMIT))
  while (second.taken < 60) await setImmediate()
  const last = readAll(third.source, LIMIT)
  for (let turn = 0; turn < 100; turn++) await setImmediate()
  expect(third.taken).toBeLessThan(20)
  for (const { end } of [first, second, third]) end()
  for (const { length } of await Promise.all([...earlier, last])) expect(length).toBe(60 * 2 ** 20)
})
