import { expect, test } from 'vitest'
import { exchangeChains } from './run.js'

test('geth imports chains of every fork, and this node imports a chain made by geth', async ({ skip }) => {
  const result = await exchangeChains({ seed: 1, blocks: 5, log: () => undefined })
  if (result === undefined) {
    console.warn('the exchange of chains is skipped: neither geth nor Go is installed')
    skip()
    return
  }
  expect(Object.fromEntries(result.refusals)).toEqual({})
  expect(result.transactions).toBeGreaterThan(100)
}, 900_000)
