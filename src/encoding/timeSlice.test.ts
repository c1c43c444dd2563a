import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, describe, expect, it, onTestFinished, test, vi } from 'vitest'
import { countTurns, endEverySlice } from '../../test/support/turns.js'
import { sortInSteps } from './sorting.js'
import { textChunks } from './textChunks.js'
import {
  KeyedMutex,
  type Lane,
  Mutex,
  ReadWriteLock,
  ShortWorkQueue,
  TimeSlice,
  TurnQueue,
  atEndOfTurn,
  lanes,
  nextTurn,
  runInSlices,
  runToCompletion,
  turnIn,
} from './timeSlice.js'

test('runs deferred work before work that has waited longer for its turn', async () => {
  const done: string[] = []
  const waiting = nextTurn().then(() => done.push('next turn'))
  atEndOfTurn(() => done.push('first'))
  atEndOfTurn(() => done.push('second'))
  await Promise.resolve()
  expect(done).toEqual([])
  await waiting
  expect(done).toEqual(['first', 'second', 'next turn'])
})

test('runs work deferred by deferred work', async () => {
  const done: string[] = []
  atEndOfTurn(() => {
    done.push('first')
    atEndOfTurn(() => done.push('second'))
  })
  await nextTurn()
  await nextTurn()
  expect(done).toEqual(['first', 'second'])
})

test('keeps running when a test replaces the global timers', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const done = new Promise<void>(atEndOfTurn)
  await nextTurn()
  await done
})

afterEach(() => {
  vi.restoreAllMocks()
})

it('runs one task after another with turns between them, past one that fails', async () => {
  endEverySlice()
  const queue = new TurnQueue()
  const done: number[] = []
  const faults: unknown[] = []
  const failure = new Error('it fails')
  const turns = await countTurns(
    () =>
      new Promise<void>((resolve) => {
        for (let index = 0; index < 20; index++) {
          queue.add(
            async () => {
              await Promise.resolve()
              if (index === 3) throw failure
              done.push(index)
              if (index === 19) resolve()
            },
            (fault) => faults.push(fault),
          )
        }
      }),
  )
  expect(done).toEqual([0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19])
  expect(faults).toEqual([failure])
  expect(turns).toBeGreaterThan(19)
})

/** Pseudorandom numbers (a linear congruential generator) with many duplicates. */
function numbers(length: number): number[] {
  let state = 1
  return Array.from({ length }, () => (state = (state * 48_271) % 2_147_483_647) % 1000)
}

it.each([0, 1, 2, 511, 512, 513, 1024, 5000])('sorts %i items stably', (length) => {
  const items = numbers(length).map((key, index) => ({ key, index }))
  const expected = [...items].sort((a, b) => a.key - b.key)
  expect(runToCompletion(sortInSteps(items, (a, b) => a.key - b.key))).toEqual(expected)
})

it('pauses at least every thousand items', () => {
  const sorting = sortInSteps(numbers(50_000), (a, b) => a - b)
  let pieces = 0
  while (sorting.next().done !== true) pieces++
  // Sorted in runs first, which are then merged in seven rounds.
  expect(pieces).toBeGreaterThan(8 * 50)
})

async function collect(pieces: Iterable<string>): Promise<string[]> {
  const chunks: string[] = []
  for await (const chunk of textChunks(pieces)) chunks.push(chunk)
  return chunks
}

it('joins texts into chunks of 64 KiB or slightly more', async () => {
  const pieces = Array.from({ length: 1000 }, (_, index) => `${index},`.padStart(300))
  const chunks = await collect(pieces)
  expect(chunks.join('')).toBe(pieces.join(''))
  expect(chunks.slice(0, -1).every(({ length }) => length >= 65_536 && length < 65_536 + 300)).toBe(true)
  expect(chunks).toHaveLength(5)
})

it('yields between texts', async () => {
  endEverySlice()
  expect(await countTurns(() => collect(new Array<string>(500).fill('text')))).toBeGreaterThanOrEqual(500)
})

describe('under a crowd of long work', () => {
  /** Starts work of many steps, all of which wait for turns. */
  function startCrowd(): { steps: number; stop: () => void } {
    endEverySlice()
    const crowd = { steps: 0, stop: () => void (isStopped = true) }
    let isStopped = false
    const work = function* (): Generator<void, void, undefined> {
      while (!isStopped) {
        crowd.steps++
        yield
      }
    }
    for (let count = 0; count < 200; count++) void runInSlices(work(), new TimeSlice())
    return crowd
  }

  it('new work waits for a few steps only', async () => {
    const crowd = startCrowd()
    while (crowd.steps < 2000) await turn()
    for (let round = 0; round < 20; round++) {
      const before = crowd.steps
      await new TimeSlice().pause()
      await turnIn(() => lanes.reads)
      await nextTurn()
      expect(crowd.steps - before).toBeLessThan(20)
    }
    crowd.stop()
  })

  it('short work does not wait for all of it', async () => {
    const crowd = startCrowd()
    while (crowd.steps < 5000) await turn()
    const before = crowd.steps
    const slice = new TimeSlice()
    for (let step = 0; step < 5; step++) await slice.pause()
    expect(crowd.steps - before).toBeLessThan(50)
    crowd.stop()
  })

  it('a request that begins waits for those of its kind only, and changes keep their order', async () => {
    endEverySlice()
    const begun: string[] = []
    const begin = async (lane: Lane, name: string): Promise<void> => {
      await turnIn(() => lane)
      begun.push(name)
    }
    const changes = Array.from({ length: 50 }, (_, index) => `change ${index}`)
    const reads = Array.from({ length: 50 }, (_, index) => `read ${index}`)
    await Promise.all([
      ...changes.map((name) => begin(lanes.changes, name)),
      ...reads.map((name) => begin(lanes.reads, name)),
      begin(lanes.lookups, 'lookup'),
    ])
    expect(begun.filter((name) => name.startsWith('change'))).toEqual(changes)
    expect(begun.filter((name) => name.startsWith('read')).sort()).toEqual([...reads].sort())
    expect(begun.indexOf('lookup')).toBeLessThan(6)
    // The newest and the oldest alternate.
    expect(begun.indexOf('read 49')).toBeLessThan(10)
    expect(begun.indexOf('read 0')).toBeLessThan(10)
  })

  it('long work continues while new work keeps coming', async () => {
    const crowd = startCrowd()
    while (crowd.steps < 2000) await turn()
    const before = crowd.steps
    let isDone = false
    const flood = async (): Promise<void> => {
      while (!isDone) await turnIn(() => lanes.reads)
    }
    const floods = Array.from({ length: 100 }, flood)
    for (let turns = 0; turns < 100; turns++) await turn()
    isDone = true
    crowd.stop()
    await Promise.all(floods)
    expect(crowd.steps - before).toBeGreaterThan(10)
  })
})

/** Task that records when it begins and ends, some turns of the event loop later. */
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

it('ends work in slices when its signal is aborted', async () => {
  endEverySlice()
  const controller = new AbortController()
  let steps = 0
  const work = runInSlices(
    (function* () {
      for (;;) {
        if (++steps === 3) controller.abort(new Error('given up'))
        yield
      }
    })(),
    new TimeSlice(controller.signal),
  )
  await expect(work).rejects.toThrow('given up')
  expect(steps).toBe(3)
})

describe('Mutex', () => {
  it('runs tasks one at a time in order, past one that fails', async () => {
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

  it('refuses waiting tasks once closed, except those that change nothing', async () => {
    const { events, task } = recorder()
    const mutex = new Mutex()
    const first = mutex.run(task('first'))
    const second = mutex.run(task('second'))
    const reading = mutex.runAfterClose(task('reading'))
    await turn()
    const closed = mutex.close(() => new Error('closed'))
    await expect(second).rejects.toThrow('closed')
    await expect(mutex.run(task('third'))).rejects.toThrow('closed')
    await closed
    expect(await Promise.all([first, reading])).toEqual(['first', 'reading'])
    expect(events).toEqual(['first begins', 'first ends', 'reading begins', 'reading ends'])
  })
})

it('KeyedMutex: tasks with different keys do not wait for each other', async () => {
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

/** Blocks for longer than a turn's budget for all work. */
function occupyTurn(): void {
  for (const end = performance.now() + 10; performance.now() < end;);
}

describe('a queue of short tasks', () => {
  it('runs tasks in order and yields between them', async () => {
    const queue = new ShortWorkQueue()
    const done: (number | string)[] = []
    for (let number = 0; number < 4; number++) {
      queue.add(() => {
        done.push(number)
        occupyTurn()
      })
    }
    expect(done.length).toBeLessThan(2)
    await turn()
    done.push('other work')
    while (done.length < 5) await turn()
    expect(done.indexOf('other work')).toBeLessThan(4)
    expect(done.filter((each) => typeof each === 'number')).toEqual([0, 1, 2, 3])
  })

  it('holds a hundred thousand tasks at most', async () => {
    const queue = new ShortWorkQueue()
    const done: number[] = []
    queue.add(occupyTurn)
    queue.add(occupyTurn)
    const added = 250_000
    for (let number = 0; number < added; number++) queue.add(() => done.push(number))
    expect(added - done.length).toBeGreaterThan(99_000)
    expect(added - done.length).toBeLessThanOrEqual(100_000)
    while (done.length < added) await turn()
    expect(done.every((number, index) => number === index)).toBe(true)
  })
})
