import { expect, test } from 'vitest'
import { comparePushes } from './run.js'

test('subscriptions and filters tell of blocks, logs and reorganisations what those of geth tell', async ({
  skip,
}) => {
  const result = await comparePushes({ seed: 1, rounds: 60, log: () => undefined })
  if (result === undefined) {
    console.warn('the comparison of pushes is left out: there is neither geth nor Go')
    skip()
    return
  }
  expect([...result.classes.report()].filter((line) => !line.startsWith('meant'))).toEqual([])
  expect(result.reorganisations).toBeGreaterThan(20)
  expect(result.pushed).toBeGreaterThan(1000)
}, 900_000)
