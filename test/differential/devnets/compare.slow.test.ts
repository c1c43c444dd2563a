import { expect, test } from 'vitest'
import { compareWithPeer } from './run.js'

test.each([
  ['hardhat', 540],
  ['anvil', 520],
] as const)(
  '600 seeded requests get the answers of %s, except for intended differences and a few more',
  async (peer, identical) => {
    const result = await compareWithPeer({ peer, seed: 1, requests: 600, log: () => undefined })
    if (result === undefined) {
      console.warn(
        `the comparison with ${peer} is skipped: it is not installed, see docs/guides/differential.md`,
      )
      return
    }
    // `npm run differential` prints the remaining differences.
    expect(result.identical).toBeGreaterThan(identical)
    expect(result.classes.unexplained).toBeLessThan(8)
  },
  900_000,
)
