import { expect, it } from 'vitest'
import { nextTurn } from '../../encoding/timeSlice.js'
import { TraceBudget, TraceInterruption } from './budget.js'
import { type FrameStart, combineTracers } from './tracer.js'

const frame: FrameStart = {
  type: 'CALL',
  depth: 0,
  from: new Uint8Array(20),
  to: new Uint8Array(20),
  input: new Uint8Array(0),
  gas: 21_000n,
}

it('observes the rejection of a tracer whose successor throws, as two over the same budget do', async () => {
  const budget = new TraceBudget({ maxBytes: 10, timeoutMilliseconds: 1000 })
  const unhandled: unknown[] = []
  const note = (reason: unknown) => void unhandled.push(reason)
  process.on('unhandledRejection', note)
  try {
    const tracer = combineTracers([
      {
        enter: async () => {
          await Promise.resolve()
          budget.spend(6)
        },
      },
      { enter: () => budget.spend(11) },
    ])
    expect(() => tracer.enter?.(frame)).toThrow(TraceInterruption)
    await nextTurn()
    await nextTurn()
    expect(unhandled).toEqual([])
  } finally {
    process.off('unhandledRejection', note)
  }
})

it('awaits all tracers that return a promise', async () => {
  const ended: string[] = []
  const slow = (name: string) => ({
    enter: async () => {
      await Promise.resolve()
      ended.push(name)
    },
  })
  await combineTracers([slow('first'), { enter: () => undefined }, slow('last')]).enter?.(frame)
  expect(ended).toEqual(['first', 'last'])
})
