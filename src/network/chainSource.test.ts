import { expect, it } from 'vitest'
import { etherToWei } from './chainSource.js'

it.each([
  [10_000, 10_000n * 10n ** 18n],
  [0, 0n],
  [0.1, 10n ** 17n],
  [1000.1, 10_001n * 10n ** 17n],
  [1.5e21, 15n * 10n ** 38n],
  [1e-18, 1n],
  [2.5e-18, 2n],
  [1e-19, 0n],
])('%d ether is %d wei', (ether, wei) => {
  expect(etherToWei(ether)).toBe(wei)
})
