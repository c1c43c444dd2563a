import { expect, it } from 'vitest'
import { BufferPool } from './bufferPool.js'

const length = 100_000

function filledWith(value: number): (memory: Uint8Array) => Promise<Uint8Array> {
  return async (memory) => {
    await new Promise((resolve) => setImmediate(resolve))
    return memory.fill(value)
  }
}

it('shares a block among its readers, and reuses its memory only when the last is done', async () => {
  const pool = new BufferPool()
  const [first, second] = await Promise.all([
    pool.acquire('a', length, filledWith(1)),
    pool.acquire('a', length, filledWith(2)),
  ])
  expect(second.bytes.buffer).toBe(first.bytes.buffer)
  first.release()
  const other = await pool.acquire('b', length, filledWith(3))
  expect(second.bytes).toEqual(new Uint8Array(length).fill(1))
  second.release()
  const next = await pool.acquire('c', length - 1, filledWith(4))
  expect(next.bytes.buffer).toBe(second.bytes.buffer)
  expect(other.bytes).toEqual(new Uint8Array(length).fill(3))
})

it('reads a block again after its release or a failed read', async () => {
  const pool = new BufferPool()
  ;(await pool.acquire('a', length, filledWith(1))).release()
  const failing = (): Promise<Uint8Array> => Promise.reject(new Error('gone'))
  await expect(pool.acquire('a', length, failing)).rejects.toThrow('gone')
  expect((await pool.acquire('a', length, filledWith(5))).bytes[0]).toBe(5)
})

it('does not read ahead while much is acquired', async () => {
  const pool = new BufferPool()
  const mebibyte = 1_048_576
  const acquired = []
  while (pool.mayReadAhead)
    acquired.push(await pool.acquire(`block ${acquired.length}`, mebibyte, filledWith(1)))
  expect(acquired).toHaveLength(64)
  const again = await pool.acquire('block 0', mebibyte, filledWith(2))
  again.release()
  expect(pool.mayReadAhead).toBe(false)
  acquired[0]?.release()
  expect(pool.mayReadAhead).toBe(true)
})
