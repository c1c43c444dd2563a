import { createBlockHeader } from '@ethereumjs/block'
import { Common, Mainnet } from '@ethereumjs/common'
import { expect, test } from 'vitest'
import { createRules } from '../evm/forkSchedule.js'
import { EMPTY_UNCLES_HASH } from '../block/header.js'
import type { HeaderFields } from '../types.js'
import { nextDifficulty } from '../block/difficulty.js'

test.each([
  ['chainstart', 100n],
  ['homestead', 1_300_000n],
  ['byzantium', 4_500_000n],
  ['constantinople', 7_400_000n],
  ['muirGlacier', 9_500_000n],
  ['arrowGlacier', 13_900_000n],
  ['grayGlacier', 15_300_000n],
] as const)('difficulties of %s equal those of ethereumjs', (hardfork, start) => {
  const rules = createRules({ chainId: 1n, hardfork })
  const common = new Common({ chain: Mainnet, hardfork })
  for (let i = 0; i < 60; i++) {
    const hasUncles = i % 3 === 0
    const uncleHash = hasUncles ? new Uint8Array(32).fill(1) : EMPTY_UNCLES_HASH
    const fields = {
      number: start + BigInt(i * 7),
      difficulty: 131_072n * BigInt(1 + i * i * 1000),
      timestamp: 1_500_000_000n,
      uncleHash,
    }
    const timestamp = fields.timestamp + BigInt(1 + ((i * 37) % 1200))
    const options = { common, skipConsensusFormatValidation: true }
    const parent = createBlockHeader({ ...fields, gasLimit: 5000 }, options)
    const header = createBlockHeader({ number: fields.number + 1n, timestamp, gasLimit: 5000 }, options)
    const expected = header.ethashCanonicalDifficulty(parent)
    expect(nextDifficulty(fields as Partial<HeaderFields> as HeaderFields, timestamp, rules)).toBe(expected)
  }
})

test('London delays the bomb by 9,700,000 blocks (EIP-3554), which ethereumjs omits', () => {
  const rules = createRules({ chainId: 1n, hardfork: 'london' })
  const parent = {
    number: 13_099_999n,
    difficulty: 131_072n,
    timestamp: 1000n,
    uncleHash: EMPTY_UNCLES_HASH,
  } as Partial<HeaderFields> as HeaderFields
  // Nine seconds after a parent without uncles, only the bomb counts: (13,100,000 - 9,700,000) / 100,000 = 34.
  expect(nextDifficulty(parent, 1009n, rules)).toBe(131_072n + 2n ** 32n)
})
