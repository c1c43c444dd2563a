import { Address } from '@ethereumjs/util'
import { expect, it } from 'vitest'
import { createMemoryState } from '../../../test/support/memoryState.js'
import { withEvm } from '../vm/blockEnvironment.js'
import { createRules } from './forkSchedule.js'
import type { PooledEvm } from './pooledEvm.js'

it('EVMs in use at the same time share what depends on the fork only, and are not kept by it', async () => {
  const rules = createRules({ chainId: 31337n, hardfork: 'prague' })
  const header = {
    number: 5n,
    coinbase: new Address(new Uint8Array(20)),
    timestamp: 1_800_000_000n,
    difficulty: 0n,
    prevRandao: new Uint8Array(32),
    gasLimit: 30_000_000n,
    baseFeePerGas: 7n,
    getBlobGasPrice: () => 1n,
  }
  const evms: PooledEvm[] = []
  const nest = async (depth: number): Promise<void> => {
    if (depth === 0) return
    const context = { rules, state: createMemoryState(), block: { header }, blockHash: () => undefined }
    await withEvm(context, async (evm) => {
      evms.push(evm)
      await nest(depth - 1)
    })
  }
  await nest(3)
  expect(new Set(evms).size).toBe(3)
  expect(new Set(evms.map(({ opcodeTable }) => opcodeTable)).size).toBe(1)
  expect(rules.events.listenerCount('hardforkChanged')).toBe(0)
})
