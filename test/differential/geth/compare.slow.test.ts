import { expect, test } from 'vitest'
import { compareWithGeth } from './run.js'

test('seeded requests get the answers of geth, except for intended differences', async ({ skip }) => {
  const result = await compareWithGeth({ seed: 1, requests: 2_000, log: () => undefined })
  if (result === undefined) {
    console.warn('the comparison with geth is skipped: neither geth nor Go is installed')
    skip()
    return
  }
  expect(result.classes.unexplained, [...result.classes.report()].join('\n')).toBe(0)
  expect(result.identical).toBeGreaterThan(1_900)
}, 900_000)
