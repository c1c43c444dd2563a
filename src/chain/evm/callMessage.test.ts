import { createBlock } from '@ethereumjs/block'
import { Common, Mainnet, type StateManagerInterface } from '@ethereumjs/common'
import { MerkleStateManager } from '@ethereumjs/statemanager'
import { createLegacyTx } from '@ethereumjs/tx'
import { Account, Address } from '@ethereumjs/util'
import { createVM, runTx } from '@ethereumjs/vm'
import { describe, expect, it } from 'vitest'
import { createMemoryState } from '../../../test/support/memoryState.js'
import { bigintToBytes, bytesToHex, hexToBytes } from '../../encoding/hex.js'
import { privateKeyToAddress } from '../crypto.js'
import { withEvm } from '../vm/blockEnvironment.js'
import { transactionChecks } from '../vm/preCheck.js'
import { TransientStorage } from './callMessage.js'
import { createRules } from './forkSchedule.js'
import { runMessage } from '../vm/runTransaction.js'

const privateKey = new Uint8Array(32).fill(7)
const sender = privateKeyToAddress(privateKey)
const main = new Uint8Array(20).fill(0x10)
const other = new Uint8Array(20).fill(0x20)
const otherDigits = '20'.repeat(20)

/** Words where arithmetic wraps around, and others in between. */
const operands = [
  0n,
  1n,
  2n,
  5n,
  31n,
  255n,
  256n,
  2n ** 64n,
  2n ** 128n - 1n,
  2n ** 255n,
  2n ** 256n - 1n,
].flatMap((edge, index) => [
  edge,
  BigInt.asUintN(256, edge * 0x9e3779b97f4a7c15f39cc0605cedc834n + BigInt(index)),
])

function push32(word: bigint): string {
  return `7f${word.toString(16).padStart(64, '0')}`
}

/** Hashes an opcode's result for each pair of operands, together with the previous hash, into slot 0. */
function allPairs(opcode: string): string {
  const pairs = operands.flatMap((a) => operands.map((b) => push32(b) + push32(a)))
  return `${pairs.map((pair) => `${pair}${opcode}5f5260405f20602052`).join('')}6020515f55`
}

const arithmetic = Object.fromEntries(
  ['01', '02', '03', '04', '06', '10', '11', '12', '13', '14', '16', '17', '18', '1b', '1c', '1d'].map(
    (opcode) => [`opcode ${opcode} of words at the edges`, { code: allPairs(opcode) }],
  ),
)

/** Code of `main` and `other` (EVM assembly in the comments). */
const programs: Record<string, { code: string; otherCode?: string; gasLimit?: bigint }> = {
  // Calls itself with all gas, and adds one to slot 0 on the way back.
  'hundreds of frames inside one another': {
    code: '5f5f5f5f5f305af1505f546001015f55',
    gasLimit: 16_000_000n,
  },
  // The same with DELEGATECALL, whose frames share caller and value.
  'hundreds of delegated frames': { code: '5f5f5f5f305af4505f546001015f55', gasLimit: 16_000_000n },
  // Sends 1 wei to itself in nested frames, each of which finally reverts.
  'frames that revert from the innermost on': {
    code: '5f5f5f5f6001305af15060015f555f5ffd',
    gasLimit: 4_000_000n,
  },
  // A callee fills its memory and returns nothing; the next frame returns its untouched memory.
  'memory that is empty in each frame': {
    code: `60405f60405f5f73${otherDigits}5af160405f60405f600173${otherDigits}5af1505f515f5560205160015500`,
    otherCode: '34600b575f195f525f196020525b60405ff3',
  },
  // Two clears and one restoration of slots: refunds that come and go with a reverted frame.
  'refunds of a frame that reverts': {
    code: `60015f555f5f5f5f5f73${otherDigits}5af1505f5f5560025f5560015f55`,
    otherCode: '5f60025560036002555f5ffd',
  },
  // BALANCE, EXTCODESIZE, EXTCODEHASH and SELFBALANCE of several accounts, cold and warm.
  'reads of accounts': {
    code: `73${otherDigits}315f5573${otherDigits}3b60015573${otherDigits}3f60025573${'77'.repeat(20)}3f6003554760045573${'77'.repeat(20)}31600555303b600655`,
    otherCode: '00',
  },
  // Value to a nonexistent account, then to itself, then more than the balance.
  'values to others and to itself': {
    code: `5f5f5f5f600373${'77'.repeat(20)}5af15f555f5f5f5f6002305f5af16001555f5f5f5f69ffffffffffffffffffff73${'78'.repeat(20)}5af1600255`,
  },
  // A STATICCALL whose code writes, logs and calls with value.
  'writes where none are allowed': {
    code: `5f5f5f5f73${otherDigits}5afa5f553d600155`,
    otherCode: '60015f55',
  },
  ...arithmetic,
  // NOT and ISZERO of a word, then PUSH, DUP and SWAP before the first jump and after it.
  'words on the stack': {
    code: '6101ff195f555f1560015560018015600255600761abcd60036004925055600355605b600456',
  },
  // The remaining gas, read after cheap opcodes, in a loop and at its end.
  'gas that is left': { code: '5f5f01505a5f5560645b6001900380600a575a60015550' },
  // An endless loop, a jump beyond the code, and one into the data of a PUSH.
  'a loop that runs out of gas': { code: '60015f555b600456', gasLimit: 200_001n },
  'a jump beyond the code': { code: `60015f55${push32(2n ** 255n)}56` },
  'a jump into the data of a PUSH': { code: '60015f556006565b60605b' },
  // Lengths of data and return data, the value, the caller.
  'sizes and values': { code: '365f5534600155336002555f5f60405f5f305af15f5f5560056003553d60045500' },
  // Each frame writes transient slots and calls itself twice, six deep; a slot decides whether it reverts.
  'transient slots of frames that revert': {
    code:
      '5f5c60030236016001015f5d5f5c365d60053610156030575f5f366001015f5f305af1505f5f366001015f5f' +
      '305af1505b6001361660415760045c60010160045d5b5f5c60103601555f5c60021c600116360215605a575f' +
      '5ffd5b5f5c5f5560015c60015560025c60025560035c60035560045c60045560055c600555',
    gasLimit: 16_000_000n,
  },
  // A frame that destroys its account and then fails, and one that succeeds.
  'destruction in a frame that reverts': {
    code: `5f5f5f5f5f73${otherDigits}5af15f555f5f5f5f600173${otherDigits}5af1600155`,
    otherCode: '3460075733ff5b5f5f5f5f5f305af1505f5ffd',
  },
}

async function fill<S extends StateManagerInterface>(state: S, name: string): Promise<S> {
  const { code = '', otherCode } = programs[name] ?? {}
  await state.putAccount(new Address(sender), new Account(0n, 10n ** 24n))
  await state.putAccount(new Address(main), new Account(1n, 1000n))
  await state.putCode(new Address(main), hexToBytes(code))
  if (otherCode === undefined) return state
  await state.putAccount(new Address(other), new Account(1n, 50n))
  await state.putCode(new Address(other), hexToBytes(otherCode))
  await state.putStorage(new Address(other), new Uint8Array(32).fill(2, 31), Uint8Array.of(9))
  return state
}

describe('frames leave the same state as those of an unpatched ethereumjs', () => {
  it.each(Object.keys(programs))('%s', async (name) => {
    const header = {
      number: 5n,
      coinbase: new Address(new Uint8Array(20).fill(0xcc)),
      timestamp: 1_800_000_000n,
      gasLimit: 30_000_000n,
      baseFeePerGas: 7n,
    }
    const { gasLimit = 1_000_000n } = programs[name] ?? {}
    const fields = { nonce: 0n, value: 0n, data: new Uint8Array(0), gasLimit, gasPrice: 10n }
    const common = new Common({ chain: { ...Mainnet, chainId: 31337 }, hardfork: 'prague' })
    const expectedState = await fill(new MerkleStateManager(), name)
    const expected = await runTx(await createVM({ common, stateManager: expectedState }), {
      tx: createLegacyTx({ ...fields, to: new Address(main) }, { common }).sign(privateKey),
      block: createBlock({ header }, { common, skipConsensusFormatValidation: true }),
      skipHardForkValidation: true,
    })
    const state = await fill(createMemoryState(), name)
    const rules = createRules({ chainId: 31337n, hardfork: 'prague' })
    const block = {
      header: { ...header, difficulty: 0n, prevRandao: new Uint8Array(32), getBlobGasPrice: () => 1n },
    }
    const result = await withEvm({ rules, state, block, blockHash: () => undefined }, (evm) =>
      runMessage(
        evm,
        {
          ...fields,
          from: sender,
          to: main,
          maxFeePerGas: 10n,
          maxPriorityFeePerGas: 10n,
          accessList: [],
        },
        transactionChecks,
      ),
    )
    expect(result.gasUsed).toBe(expected.totalGasSpent)
    expect(result.failure === undefined).toBe(expected.execResult.exceptionError === undefined)
    expect(bytesToHex(await state.getStateRoot())).toBe(bytesToHex(await expectedState.getStateRoot()))
  })
})

it('keeps a hundred thousand transient slots, and drops those of a reverted frame', () => {
  const storage = new TransientStorage()
  const account = new Address(main)
  const slots = Array.from({ length: 100_000 }, (_, index) => bigintToBytes(BigInt(index), 32))
  storage.checkpoint()
  for (const [index, slot] of slots.entries()) storage.put(account, slot, Uint8Array.of(1 + (index % 255)))
  expect(storage.size).toBe(100_000)
  expect(slots.map((slot) => storage.get(account, slot)[0])).toEqual(
    slots.map((_, index) => 1 + (index % 255)),
  )
  storage.revert()
  expect(slots.every((slot) => storage.get(account, slot).length === 0)).toBe(true)
  expect(storage.size).toBe(0)
})
