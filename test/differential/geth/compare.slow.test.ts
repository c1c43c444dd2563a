import { expect, test } from 'vitest'
import { compareWithGeth } from './run.js'

test('no seeded request is answered otherwise than by geth, but for what is meant to be', async ({
  skip,
}) => {
  const result = await compareWithGeth({ seed: 1, requests: 2_000, log: () => undefined })
  if (result === undefined) {
    console.warn('the comparison with geth is left out: there is neither geth nor Go')
    skip()
    return
  }
  expect(result.classes.unexplained, [...result.classes.report()].join('\n')).toBe(0)
  expect(result.identical).toBeGreaterThan(1_900)
}, 900_000)
