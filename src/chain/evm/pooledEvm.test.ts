import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Account, Address } from '@ethereumjs/util'
import { expect, it } from 'vitest'
import { createMemoryState } from '../../../test/support/memoryState.js'
import { hexToBytes } from '../../encoding/hex.js'
import { withEvm } from '../vm/blockEnvironment.js'
import { callChecks } from '../vm/preCheck.js'
import { runMessage } from '../vm/runTransaction.js'
import { createRules } from './forkSchedule.js'
import type { PooledEvm } from './pooledEvm.js'

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

it('EVMs in use at the same time share what depends on the fork only, and are not kept by it', async () => {
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

/** Calls a contract that calls itself. @returns weak references to what the call ran on */
async function callOnce(): Promise<WeakRef<object>[]> {
  const state = createMemoryState()
  const data = new Uint8Array(1000)
  const contract = new Address(new Uint8Array(20).fill(0xc0))
  await state.putAccount(contract, new Account(1n))
  // PUSH0 PUSH0 CALLDATASIZE PUSH0 PUSH0 ADDRESS GAS CALL: calls itself until the gas is used up.
  await state.putCode(contract, hexToBytes('0x5f5f365f5f305af1'))
  const context = { rules, state, block: { header }, blockHash: () => undefined }
  const { gasUsed } = await withEvm(context, async (evm) => {
    const fees = { gasPrice: 0n, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }
    const place = { from: new Uint8Array(20), to: contract.bytes, nonce: 0n, value: 0n, accessList: [] }
    return runMessage(evm, { ...place, ...fees, data, gasLimit: 100_000n }, callChecks)
  })
  expect(gasUsed).toBeGreaterThan(30_000n)
  return [new WeakRef(state), new WeakRef(data)]
}

it('an idle EVM keeps neither the state nor the data of its last call', async () => {
  const references = await callOnce()
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  // A reference that was just made keeps its object until the next turn.
  await sleep(0)
  collectGarbage()
  expect(references.map((reference) => reference.deref())).toEqual([undefined, undefined])
})
