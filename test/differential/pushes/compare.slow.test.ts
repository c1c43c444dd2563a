import { expect, test } from 'vitest'
import { comparePushes } from './run.js'

test('subscriptions and filters report blocks, logs and reorganisations like those of geth', async ({
  skip,
}) => {
  const result = await comparePushes({ seed: 1, rounds: 60, log: () => undefined })
  if (result === undefined) {
    console.warn('the comparison of pushes is skipped: neither geth nor Go is installed')
    skip()
    return
  }
  expect([...result.classes.report()].filter((line) => !line.startsWith('intended'))).toEqual([])
  expect(result.reorganisations).toBeGreaterThan(20)
  expect(result.pushed).toBeGreaterThan(1000)
}, 900_000)
