import { createBlock } from '@ethereumjs/block'
import { Common, Mainnet, type StateManagerInterface } from '@ethereumjs/common'
import { MerkleStateManager } from '@ethereumjs/statemanager'
import { createFeeMarket1559Tx } from '@ethereumjs/tx'
import { Account, Address } from '@ethereumjs/util'
import { createVM, runTx } from '@ethereumjs/vm'
import { describe, expect, it } from 'vitest'
import { createMemoryState } from '../../../test/support/memoryState.js'
import { randomProgram, seededRandom } from '../../../test/support/programs.js'
import { bytesToHex } from '../../encoding/hex.js'
import { privateKeyToAddress } from '../crypto.js'
import { MessageRejectedError } from '../errors.js'
import { type Hardfork, createRules } from '../evm/forkSchedule.js'
import { type BlockEnvironment, withEvm } from './blockEnvironment.js'
import { type Message, effectiveGasPrice } from './message.js'
import { callChecks, transactionChecks } from './preCheck.js'
import { runMessage } from './runTransaction.js'

const privateKey = new Uint8Array(32).fill(7)
const sender = privateKeyToAddress(privateKey)
const coinbase = new Uint8Array(20).fill(0xcc)
const BASE_FEE = 7n
const contracts = Array.from({ length: 6 }, (_, i) => new Uint8Array(20).fill(0x10 + i))

async function fillState<S extends StateManagerInterface>(state: S, seed: number): Promise<S> {
  const random = seededRandom(seed)
  await state.putAccount(new Address(sender), new Account(3n, 10n ** 24n))
  for (const address of contracts) {
    await state.putAccount(new Address(address), new Account(1n, BigInt(random(1000))))
    await state.putCode(new Address(address), randomProgram(random, contracts))
    for (let i = 0; i < 3; i++) {
      const slot = new Uint8Array(32)
      slot[31] = random(4)
      await state.putStorage(new Address(address), slot, Uint8Array.of(1 + random(250)))
    }
  }
  return state
}

const block: BlockEnvironment = {
  header: {
    number: 5n,
    coinbase: new Address(coinbase),
    timestamp: 1_800_000_000n,
    difficulty: 0n,
    prevRandao: new Uint8Array(32).fill(9),
    gasLimit: 30_000_000n,
    baseFeePerGas: BASE_FEE,
    getBlobGasPrice: () => 1n,
  },
}

function plainCommon(hardfork: Hardfork): Common {
  return new Common({ chain: { ...Mainnet, chainId: 31337 }, hardfork })
}

describe('runMessage', () => {
  it.each(['london', 'shanghai', 'cancun', 'prague', 'osaka'] as const)(
    'leaves the same state as runTx of an unpatched ethereumjs (%s)',
    async (hardfork) => {
      const rules = createRules({ chainId: 31337n, hardfork })
      const common = plainCommon(hardfork)
      for (let seed = 1; seed <= 60; seed++) {
        const random = seededRandom(seed * 31)
        const to = random(8) === 0 ? undefined : contracts[random(contracts.length)]
        const data =
          to === undefined ? randomProgram(random, contracts) : new Uint8Array(random(80)).fill(random(3))
        const accessList =
          random(2) === 0
            ? []
            : [
                {
                  address: contracts[random(6)] ?? sender,
                  storageKeys: [new Uint8Array(32), new Uint8Array(32).fill(1)],
                },
              ]
        const fields = {
          nonce: 3n,
          value: BigInt(random(3) * 100),
          data,
          gasLimit: BigInt(110_000 + random(4) * 120_000),
          maxFeePerGas: 50n,
          maxPriorityFeePerGas: 3n,
        }
        const expectedState = await fillState(new MerkleStateManager(), seed)
        const vm = await createVM({ common, stateManager: expectedState })
        const tx = createFeeMarket1559Tx(
          {
            ...fields,
            chainId: 31337n,
            ...(to === undefined ? {} : { to: new Address(to) }),
            accessList: accessList.map(({ address, storageKeys }) => ({
              address: bytesToHex(address),
              storageKeys: storageKeys.map(bytesToHex),
            })),
          },
          { common },
        ).sign(privateKey)
        const expected = await runTx(vm, {
          tx,
          block: createBlock(
            {
              header: {
                number: 5n,
                coinbase: new Address(coinbase),
                timestamp: 1_800_000_000n,
                gasLimit: 30_000_000n,
                baseFeePerGas: BASE_FEE,
                mixHash: new Uint8Array(32).fill(9),
              },
            },
            { common, skipConsensusFormatValidation: true },
          ),
          skipHardForkValidation: true,
        })
        const state = await fillState(createMemoryState(), seed)
        const message: Message = {
          ...fields,
          from: sender,
          to,
          accessList,
          gasPrice: effectiveGasPrice(fields, BASE_FEE),
        }
        const blockForFork = hardfork === 'london' ? { header: { ...block.header, difficulty: 0n } } : block
        const result = await withEvm(
          { rules, state, block: blockForFork, blockHash: () => new Uint8Array(32) },
          (evm) => runMessage(evm, message, transactionChecks),
        )
        expect({ seed, gas: result.gasUsed, failed: result.failure !== undefined }).toEqual({
          seed,
          gas: expected.totalGasSpent,
          failed: expected.execResult.exceptionError !== undefined,
        })
        expect(bytesToHex(result.returnData)).toBe(bytesToHex(expected.execResult.returnValue))
        expect(result.logs.length).toBe(expected.receipt.logs.length)
        expect(bytesToHex(await state.getStateRoot())).toBe(bytesToHex(await expectedState.getStateRoot()))
      }
    },
    60_000,
  )

  it("rejects with geth's message and leaves the EVM usable", async () => {
    const rules = createRules({ chainId: 31337n, hardfork: 'osaka' })
    const state = await fillState(createMemoryState(), 1)
    const message: Message = {
      from: sender,
      to: contracts[0],
      nonce: 3n,
      value: 0n,
      data: new Uint8Array(0),
      gasLimit: 100_000n,
      gasPrice: 10n,
      maxFeePerGas: 10n,
      maxPriorityFeePerGas: 3n,
      accessList: [],
    }
    const run = async (change: Partial<Message>, checks = transactionChecks) =>
      withEvm({ rules, state, block, blockHash: () => undefined }, (evm) =>
        runMessage(evm, { ...message, ...change }, checks),
      )
    const name = (await import('../accounts/address.js')).checksumAddress(sender)
    const cases: [Partial<Message>, string][] = [
      [{ nonce: 2n }, `nonce too low: address ${name}, tx: 2 state: 3`],
      [{ nonce: 4n }, `nonce too high: address ${name}, tx: 4 state: 3`],
      [
        { maxFeePerGas: 8n, maxPriorityFeePerGas: 9n },
        `max priority fee per gas higher than max fee per gas: address ${name}, maxPriorityFeePerGas: 9, maxFeePerGas: 8`,
      ],
      [
        { maxFeePerGas: 6n },
        `max fee per gas less than block base fee: address ${name}, maxFeePerGas: 6, baseFee: 7`,
      ],
      [
        { value: 10n ** 25n },
        `insufficient funds for gas * price + value: address ${name} have ${10n ** 24n} want ${10n ** 25n + 1_000_000n}`,
      ],
      [{ gasLimit: 20_999n }, 'intrinsic gas too low: have 20999, want 21000'],
      [
        { gasLimit: 22_000n, data: new Uint8Array(50).fill(1) },
        'insufficient gas for floor data gas cost: have 22000, want 23000',
      ],
      [{ authorizationList: [] }, `EIP-7702 transaction with empty auth list (sender ${name})`],
      [{ blobVersionedHashes: [new Uint8Array(32)] }, 'blob 0 has invalid hash version'],
    ]
    for (const [change, words] of cases) {
      const refusal: unknown = await run(change).catch((error: unknown) => error)
      expect(refusal).toBeInstanceOf(MessageRejectedError)
      expect(refusal).toHaveProperty('message', words)
    }
    await expect(run({ nonce: 99n }, callChecks)).resolves.toMatchObject({})
  })
})
