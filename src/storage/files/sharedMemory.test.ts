import { expect, it } from 'vitest'
import { createSharedMemory } from './sharedMemory.js'

const length = 100_000

function filledWith(value: number): (memory: Uint8Array) => Promise<Uint8Array> {
  return async (memory) => {
    await new Promise((resolve) => setImmediate(resolve))
    return memory.fill(value)
  }
}

it('shares a block among those who read it, and uses its memory again only when the last is done', async () => {
  const memory = createSharedMemory()
  const [first, second] = await Promise.all([
    memory.lend('a', length, filledWith(1)),
    memory.lend('a', length, filledWith(2)),
  ])
  expect(second.bytes.buffer).toBe(first.bytes.buffer)
  first.giveBack()
  const other = await memory.lend('b', length, filledWith(3))
  expect(second.bytes).toEqual(new Uint8Array(length).fill(1))
  second.giveBack()
  const next = await memory.lend('c', length - 1, filledWith(4))
  expect(next.bytes.buffer).toBe(second.bytes.buffer)
  expect(other.bytes).toEqual(new Uint8Array(length).fill(3))
})

it('reads again what nobody has any more, and what could not be read', async () => {
  const memory = createSharedMemory()
  ;(await memory.lend('a', length, filledWith(1))).giveBack()
  const failing = (): Promise<Uint8Array> => Promise.reject(new Error('gone'))
  await expect(memory.lend('a', length, failing)).rejects.toThrow('gone')
  expect((await memory.lend('a', length, filledWith(5))).bytes[0]).toBe(5)
})

it('lets nobody read ahead while much is lent out', async () => {
  const memory = createSharedMemory()
  const mebibyte = 1_048_576
  const lent = []
  while (memory.mayReadAhead()) lent.push(await memory.lend(`block ${lent.length}`, mebibyte, filledWith(1)))
  expect(lent).toHaveLength(64)
  const again = await memory.lend('block 0', mebibyte, filledWith(2))
  again.giveBack()
  expect(memory.mayReadAhead()).toBe(false)
  lent[0]?.giveBack()
  expect(memory.mayReadAhead()).toBe(true)
})
