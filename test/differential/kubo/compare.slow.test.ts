import { expect, test } from 'vitest'
import { compareWithKubo } from './run.js'

test("seeded requests get Kubo's answers, except for intended differences and a few more", async ({
  skip,
}) => {
  const result = await compareWithKubo({ seed: 1, requests: 2_000, log: () => undefined })
  if (result === undefined) {
    console.warn('the comparison with Kubo is skipped: neither Kubo nor Go is installed')
    skip()
    return
  }
  // Two thousand requests reveal one or two rare unresolved differences; `npm run differential -- kubo` prints them.
  expect(result.classes.unexplained, [...result.classes.report()].join('\n')).toBeLessThan(4)
}, 900_000)
