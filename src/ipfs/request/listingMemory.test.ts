import { expect, test } from 'vitest'
import { ListingMemory } from './listingMemory.js'

const { signal } = new AbortController()

/** Counts entries until the memory makes its listing wait. */
function count(memory: ListingMemory, entries: number): Promise<void> | undefined {
  for (let entry = 0; entry < entries; entry++) {
    const pause = memory.add()
    if (pause !== undefined) return pause
  }
  return undefined
}

test('a listing has at most a million entries', () => {
  const memory = new ListingMemory(signal)
  expect(count(memory, 1_000_000)).toBeUndefined()
  expect(() => memory.add()).toThrow('more than 1000000 entries in one answer')
  memory.end()
})

test('a long listing waits until another has ended, a short one does not', async () => {
  const [first, second, third] = [
    new ListingMemory(signal),
    new ListingMemory(signal),
    new ListingMemory(signal),
  ]
  expect(count(first, 600_000)).toBeUndefined()
  expect(count(second, 2000)).toBeUndefined()
  const waiting = count(third, 10_000)
  expect(waiting).toBeDefined()
  first.end()
  await waiting
  second.end()
  third.end()
})

test('a listing ends when its client leaves', () => {
  const client = new AbortController()
  const memory = new ListingMemory(client.signal)
  expect(count(memory, 2000)).toBeUndefined()
  client.abort(new Error('the client left'))
  expect(() => count(memory, 2000)).toThrow('the client left')
  memory.end()
})
