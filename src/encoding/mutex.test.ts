import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { KeyedMutex, Mutex, ReadWriteLock } from './mutex.js'

/** A task that notes when it begins and ends, and ends some turns of the event loop later. */
function recorder(): { events: string[]; task: (name: string, turns?: number) => () => Promise<string> } {
  const events: string[] = []
  return {
    events,
    task:
      (name, turns = 3) =>
      async () => {
        events.push(`${name} begins`)
        for (let i = 0; i < turns; i++) await turn()
        events.push(`${name} ends`)
        return name
      },
  }
}

describe('Mutex', () => {
  it('runs tasks one at a time in their order, past one that fails', async () => {
    const { events, task } = recorder()
    const mutex = new Mutex()
    const failing = mutex.run(async () => {
      await turn()
      throw new Error('no')
    })
    const results = Promise.all([mutex.run(task('a')), mutex.run(task('b', 1))])
    await expect(failing).rejects.toThrow('no')
    expect(await results).toEqual(['a', 'b'])
    expect(events).toEqual(['a begins', 'a ends', 'b begins', 'b ends'])
  })

  it('refuses what waits when it is closed, but for tasks that change nothing', async () => {
    const { events, task } = recorder()
    const mutex = new Mutex()
    const first = mutex.run(task('first'))
    const second = mutex.run(task('second'))
    const reading = mutex.runEvenClosed(task('reading'))
    await turn()
    const closed = mutex.close(() => new Error('closed'))
    await expect(second).rejects.toThrow('closed')
    await expect(mutex.run(task('third'))).rejects.toThrow('closed')
    await closed
    expect(await Promise.all([first, reading])).toEqual(['first', 'reading'])
    expect(events).toEqual(['first begins', 'first ends', 'reading begins', 'reading ends'])
  })
})

it('KeyedMutex: tasks of different keys do not wait for each other', async () => {
  const { events, task } = recorder()
  const mutex = new KeyedMutex()
  await Promise.all([
    mutex.run('x', task('x1', 4)),
    mutex.run('x', task('x2', 0)),
    mutex.run('y', task('y', 0)),
  ])
  expect(events.indexOf('y ends')).toBeLessThan(events.indexOf('x1 ends'))
  expect(events.indexOf('x1 ends')).toBeLessThan(events.indexOf('x2 begins'))
})

it('ReadWriteLock: shared tasks overlap, an exclusive one has the lock alone', async () => {
  const { events, task } = recorder()
  const lock = new ReadWriteLock()
  await Promise.all([
    lock.share(task('a', 2)),
    lock.share(task('b', 4)),
    lock.exclusive(task('alone')),
    lock.exclusive(task('next')),
    lock.share(task('c')),
  ])
  expect(events.slice(0, 2)).toEqual(['a begins', 'b begins'])
  expect(events.slice(4)).toEqual([
    ...['alone begins', 'alone ends', 'next begins', 'next ends'],
    ...['c begins', 'c ends'],
  ])
})
