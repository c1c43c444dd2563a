import { Account, Address } from '@ethereumjs/util'
import { describe, expect, it } from 'vitest'
import { bytesEqual, bytesToHex, hexToBytes } from '../../encoding/hex.js'
import { nextTurn } from '../../encoding/turn.js'
import { keyspaceOf } from '../../storage/keyspace.js'
import { StateStore } from '../state/stateStore.js'
import { EMPTY_ROOT } from '../state/trieNode.js'
import { WorkingState } from '../state/workingState.js'
import type { BlockEnvironment } from './blockEnvironment.js'
import { delegationCode } from './delegation.js'
import { withEvm } from './evm.js'
import type { Message } from './message.js'
import { runPlainTransfer } from './plainTransfer.js'
import { callChecks, preCheck, transactionChecks } from './preCheck.js'
import { createRules } from './rules.js'
import { MemoryDatabase } from '../../../test/support/memoryDatabase.js'
import { executeMessage } from './stateTransition.js'

const addressOf = (byte: number) => new Uint8Array(20).fill(byte)
const places = {
  sender: addressOf(0x5e),
  nobody: addressOf(0x01),
  somebody: addressOf(0x02),
  contract: addressOf(0x03),
  delegating: addressOf(0x04),
  empty: addressOf(0x06),
  full: addressOf(0x07),
  precompile: hexToBytes('0x0000000000000000000000000000000000000004'),
}
type Place = keyof typeof places

async function createState(): Promise<WorkingState> {
  const store = new StateStore({
    database: new MemoryDatabase(),
    keyspace: keyspaceOf(0),
  })
  const state = new WorkingState({ base: store.viewAt(EMPTY_ROOT), store })
  const put = (place: Place, account: Account) => state.putAccount(new Address(places[place]), account)
  await put('sender', new Account(3n, 10n ** 20n))
  await put('somebody', new Account(0n, 7n))
  await put('empty', new Account())
  await put('full', new Account(0n, 2n ** 256n - 3n))
  await put('contract', new Account(1n, 1n))
  await put('delegating', new Account(1n, 1n))
  // PUSH1 1 PUSH0 SSTORE
  await state.putCode(new Address(places.contract), hexToBytes('0x60015f55'))
  await state.putCode(new Address(places.delegating), delegationCode(places.contract))
  return state
}

interface Case {
  to: Place
  coinbase: Place
  value: bigint
  tip: bigint
  data: Uint8Array
}

const cases: Case[] = (Object.keys(places) as Place[]).flatMap((to) =>
  (['nobody', 'somebody', 'sender', 'empty', 'full'] as const).flatMap((coinbase) =>
    [0n, 5n].flatMap((value) =>
      [0n, 2n].flatMap((tip) =>
        [new Uint8Array(0), new Uint8Array(40).fill(1)].map((data) => ({ to, coinbase, value, tip, data })),
      ),
    ),
  ),
)

const environment = (coinbase: Place): BlockEnvironment => ({
  header: {
    number: 5n,
    coinbase: new Address(places[coinbase]),
    timestamp: 1_800_000_000n,
    difficulty: 0n,
    prevRandao: new Uint8Array(32).fill(9),
    gasLimit: 30_000_000n,
    baseFeePerGas: 7n,
    getBlobGasPrice: () => 1n,
  },
})

const messageOf = ({ to, value, tip, data }: Case): Message => ({
  from: places.sender,
  to: places[to],
  nonce: 3n,
  value,
  data,
  gasLimit: 100_000n,
  gasPrice: 7n + tip,
  maxFeePerGas: 7n + tip,
  maxPriorityFeePerGas: tip,
  accessList: [],
})

describe('a plain transfer', () => {
  it.each(['london', 'cancun', 'osaka'] as const)('leaves what a frame leaves (%s)', async (hardfork) => {
    const rules = createRules({ chainId: 31337n, hardfork })
    const run = async (one: Case, { inFrame }: { inFrame: boolean }) => {
      const state = await createState()
      const context = { rules, state, block: environment(one.coinbase), blockHash: () => undefined }
      const result = await withEvm(context, (evm) => {
        // Somebody who watches sees a frame.
        if (inFrame) evm.trace({})
        return executeMessage(evm, messageOf(one), transactionChecks)
      })
      return {
        ...result,
        returnData: bytesToHex(result.returnData),
        root: bytesToHex(state.computeRoot().root),
      }
    }
    for (const one of cases) {
      const [plain, framed] = [await run(one, { inFrame: false }), await run(one, { inFrame: true })]
      expect({ one, ...plain }).toEqual({ one, ...framed })
    }
  })

  it('is taken where it is plain, and only there', async () => {
    const rules = createRules({ chainId: 31337n, hardfork: 'osaka' })
    const taken: string[] = []
    for (const to of Object.keys(places) as Place[]) {
      const one: Case = { to, coinbase: 'nobody', value: 5n, tip: 2n, data: new Uint8Array(0) }
      const context = {
        rules,
        state: await createState(),
        block: environment('nobody'),
        blockHash: () => undefined,
      }
      const result = await withEvm(context, async (evm) =>
        runPlainTransfer(evm, messageOf(one), await preCheck(evm, messageOf(one), transactionChecks)),
      )
      if (result !== undefined) taken.push(to)
    }
    expect(taken).toEqual(['sender', 'nobody', 'somebody', 'empty'])
  })

  it('pays nobody where the call is free', async () => {
    const rules = createRules({ chainId: 31337n, hardfork: 'osaka' })
    const state = await createState()
    const context = { rules, state, block: environment('nobody'), blockHash: () => undefined }
    const one: Case = { to: 'somebody', coinbase: 'nobody', value: 5n, tip: 0n, data: new Uint8Array(0) }
    const message = { ...messageOf(one), gasPrice: 0n, maxFeePerGas: 0n }
    await withEvm(context, (evm) => executeMessage(evm, message, callChecks))
    expect(await state.readAccount(places.sender)).toMatchObject({ nonce: 4n, balance: 10n ** 20n - 5n })
    expect(await state.readAccount(places.somebody)).toMatchObject({ balance: 12n })
    expect(await state.readAccount(places.nobody)).toBeUndefined()
  })

  it('needs nobody’s account whom it does not pay, and lets no failure to read it go unheard', async () => {
    const rules = createRules({ chainId: 31337n, hardfork: 'osaka' })
    const known = await createState()
    known.computeRoot()
    const base = known.view()
    const state = new WorkingState({
      base: {
        ...base,
        getAccount: (address) =>
          bytesEqual(address, places.nobody)
            ? Promise.reject(new Error('the remote is gone'))
            : base.getAccount(address),
      },
    })
    const context = { rules, state, block: environment('nobody'), blockHash: () => undefined }
    const one: Case = { to: 'somebody', coinbase: 'nobody', value: 5n, tip: 0n, data: new Uint8Array(0) }
    const message = { ...messageOf(one), gasPrice: 0n, maxFeePerGas: 0n }
    const unheard: unknown[] = []
    // The runner takes what nobody catches for a failure of the test.
    const runners = process.listeners('unhandledRejection')
    process.removeAllListeners('unhandledRejection')
    process.on('unhandledRejection', (reason) => unheard.push(reason))
    try {
      await withEvm(context, (evm) => executeMessage(evm, message, callChecks))
      await nextTurn()
    } finally {
      process.removeAllListeners('unhandledRejection')
      for (const runner of runners) process.on('unhandledRejection', runner)
    }
    expect(unheard).toEqual([])
    expect(await state.readAccount(places.somebody)).toMatchObject({ balance: 12n })
  })
})
