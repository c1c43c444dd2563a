import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { Semaphore } from './semaphore.js'

describe('Semaphore', () => {
  it('runs as many tasks as it has permits, and the others in order', async () => {
    const semaphore = new Semaphore(2)
    const running = new Set<number>()
    const begun: number[] = []
    let most = 0
    const tasks = Array.from({ length: 6 }, async (_, index) =>
      semaphore.run(async () => {
        begun.push(index)
        running.add(index)
        most = Math.max(most, running.size)
        await setImmediate()
        running.delete(index)
        if (index % 2 === 0) throw new Error(String(index))
      }),
    )
    const results = await Promise.allSettled(tasks)
    expect(results.map(({ status }) => status)).toEqual(
      Array.from({ length: 6 }, (_, index) => (index % 2 === 0 ? 'rejected' : 'fulfilled')),
    )
    expect(begun).toEqual([0, 1, 2, 3, 4, 5])
    expect(most).toBe(2)
  })

  it('returns at once what needs no promise', () => {
    const semaphore = new Semaphore(1)
    expect(semaphore.run(() => 1)).toBe(1)
    const refuse = (): never => {
      throw new Error('refused')
    }
    expect(() => semaphore.run(refuse)).toThrow('refused')
    expect(semaphore.run(() => 2)).toBe(2)
  })
})
