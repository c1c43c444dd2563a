import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Account, Address } from '@ethereumjs/util'
import { expect, it } from 'vitest'
import { testHeader } from '../../../test/support/callSite.js'
import { createMemoryState } from '../../../test/support/memoryState.js'
import { hexToBytes } from '../../encoding/hex.js'
import { ClientGoneError } from '../errors.js'
import { createBlockEnvironment, withEvm } from '../vm/blockEnvironment.js'
import { callChecks } from '../vm/preCheck.js'
import { runMessage } from '../vm/runTransaction.js'
import { createRules } from './forkSchedule.js'
import type { PooledEvm } from './pooledEvm.js'

const rules = createRules({ chainId: 31337n, hardfork: 'prague' })
const block = createBlockEnvironment(testHeader, rules)

it('EVMs in use at the same time share what depends on the fork only, and are not kept by it', async () => {
  const evms: PooledEvm[] = []
  const nest = async (depth: number): Promise<void> => {
    if (depth === 0) return
    const context = { rules, state: createMemoryState(), block, blockHash: () => undefined }
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

/**
 * Calls a contract that asks for a block hash and calls itself, until the gas is used up or the look-up fails.
 *
 * @returns weak references to the state and the data of the call
 */
async function callOnce(blockHash: () => Uint8Array | undefined): Promise<WeakRef<object>[]> {
  const state = createMemoryState()
  const data = new Uint8Array(1000)
  const contract = new Address(new Uint8Array(20).fill(0xc0))
  await state.putAccount(contract, new Account(1n))
  // PUSH1 6 BLOCKHASH, PUSH0 PUSH0 CALLDATASIZE PUSH0 PUSH0 ADDRESS GAS CALL
  await state.putCode(contract, hexToBytes('0x6006405f5f365f5f305af1'))
  const calling = withEvm({ rules, state, block, blockHash }, async (evm) => {
    const fees = { gasPrice: 0n, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }
    const place = { from: new Uint8Array(20), to: contract.bytes, nonce: 0n, value: 0n, accessList: [] }
    return runMessage(evm, { ...place, ...fees, data, gasLimit: 100_000n }, callChecks)
  })
  await Promise.resolve(calling).catch((error: unknown) => {
    if (!(error instanceof ClientGoneError)) throw error
  })
  return [new WeakRef(state), new WeakRef(data)]
}

function goneAfter(frames: number): () => undefined {
  let asked = 0
  return () => {
    if (++asked > frames) throw new ClientGoneError()
  }
}

it.each([
  ['ended', () => undefined],
  ['was broken off', goneAfter(3)],
])('an idle EVM keeps neither the state nor the data of a call that %s', async (_, blockHash) => {
  const references = await callOnce(blockHash)
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  // A reference that was just made keeps its object until the next turn.
  await sleep(0)
  collectGarbage()
  expect(references.map((reference) => reference.deref())).toEqual([undefined, undefined])
})
