import { expect, onTestFinished, test, vi } from 'vitest'
import { atEndOfTurn, nextTurn } from './turn.js'

test('what is put off is done before work that waited for the turn earlier goes on', async () => {
  const done: string[] = []
  const waiting = nextTurn().then(() => done.push('next turn'))
  atEndOfTurn(() => done.push('first'))
  atEndOfTurn(() => done.push('second'))
  await Promise.resolve()
  expect(done).toEqual([])
  await waiting
  expect(done).toEqual(['first', 'second', 'next turn'])
})

test('what is put off meanwhile is done as well', async () => {
  const done: string[] = []
  atEndOfTurn(() => {
    done.push('first')
    atEndOfTurn(() => done.push('second'))
  })
  await nextTurn()
  await nextTurn()
  expect(done).toEqual(['first', 'second'])
})

test('turns go on where a test has put timers of its own in the place of the global ones', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const done = new Promise<void>(atEndOfTurn)
  await nextTurn()
  await done
})
