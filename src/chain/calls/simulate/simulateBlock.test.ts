import { expect, it } from 'vitest'
import { LogTracer } from './simulateBlock.js'

it('keeps the logs of a nested call, however many its gas pays for', () => {
  const tracer = new LogTracer({ withTransfers: false })
  const [from, to, none] = [new Uint8Array(20), new Uint8Array(20).fill(1), new Uint8Array(0)]
  // LOG0 without data and its two PUSH0 cost 379; a nested call gets at most 63/64 of the gas.
  const count = Math.floor((50_000_000 * 63) / 64 / 379)
  for (let depth = 0; depth < 2; depth++) {
    tracer.enter({ type: 'CALL', depth, from, to, input: none, gas: 50_000_000n })
  }
  for (let index = 0; index < count; index++) tracer.log({ address: to, topics: [], data: none })
  for (let depth = 1; depth >= 0; depth--) tracer.exit({ depth, output: none, gasUsed: 0n })
  expect(tracer.logs).toHaveLength(count)
  expect(tracer.logs.at(-1)).toMatchObject({ index: count - 1 })
})
