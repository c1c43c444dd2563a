import { Common, Mainnet } from '@ethereumjs/common'
import { createEVM } from '@ethereumjs/evm'
import { SimpleStateManager } from '@ethereumjs/statemanager'
import { Account, Address } from '@ethereumjs/util'
import { describe, expect, it } from 'vitest'
import { testHeader } from '../../../test/support/callSite.js'
import { createMemoryState } from '../../../test/support/memoryState.js'
import { seededRandom } from '../../../test/support/programs.js'
import { bigintToBytes, bytesToHex } from '../../encoding/hex.js'
import { createBlockEnvironment, withEvm } from '../vm/blockEnvironment.js'
import { callChecks } from '../vm/preCheck.js'
import { runMessage } from '../vm/runTransaction.js'
import { createRules } from './forkSchedule.js'

const caller = new Uint8Array(20).fill(0xa1)
const contract = new Uint8Array(20).fill(0xc0)
const INTRINSIC_GAS = 21_000n
const ENOUGH_GAS = 1_000_000n

const rules = createRules({ chainId: 31337n, hardfork: 'cancun' })
const block = createBlockEnvironment(testHeader, rules)
const common = new Common({ chain: { ...Mainnet, chainId: 31337 }, hardfork: 'cancun' })
const unpatched = await createEVM({ common, stateManager: new SimpleStateManager({ common }) })

interface Outcome {
  gas: bigint
  failed: boolean
  output: string
}

/** Runs code in an unpatched ethereumjs. */
async function outcomeOfLibrary(code: Uint8Array, data: Uint8Array, gasLimit: bigint): Promise<Outcome> {
  const parts = { code, data, gasLimit, caller: new Address(caller), to: new Address(contract) }
  const { executionGasUsed: gas, exceptionError, returnValue } = await unpatched.runCode(parts)
  return { gas, failed: exceptionError !== undefined, output: bytesToHex(returnValue) }
}

async function outcomeHere(code: Uint8Array, data: Uint8Array, gasLimit: bigint): Promise<Outcome> {
  const state = createMemoryState()
  await state.putAccount(new Address(caller), new Account(0n, 10n ** 18n))
  await state.putAccount(new Address(contract), new Account(1n))
  await state.putCode(new Address(contract), code)
  // EIP-2028: gas of a message's data.
  const before = data.reduce((sum, byte) => sum + (byte === 0 ? 4n : 16n), INTRINSIC_GAS)
  const result = await withEvm({ rules, state, block, blockHash: () => undefined }, (evm) => {
    const fees = { gasPrice: 0n, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }
    const place = { from: caller, to: contract, nonce: 0n, value: 0n }
    const message = { ...place, ...fees, data, gasLimit: before + gasLimit, accessList: [] }
    return runMessage(evm, message, callChecks)
  })
  const output = bytesToHex(result.returnData)
  return { gas: result.gasUsed - before, failed: result.failure !== undefined, output }
}

/**
 * @returns the common outcome
 */
async function expectSame(
  bytes: readonly number[] | Uint8Array,
  { data = new Uint8Array(0), gas = ENOUGH_GAS } = {},
): Promise<Outcome> {
  const code = Uint8Array.from(bytes)
  const expected = await outcomeOfLibrary(code, data, gas)
  expect({ limit: gas, ...(await outcomeHere(code, data, gas)) }).toEqual({ limit: gas, ...expected })
  return expected
}

/** Edge cases of words, shifts and offsets. */
const edges = [
  ...[0n, 1n, 2n, 3n, 31n, 32n, 33n, 255n, 256n, 257n],
  ...[53n, 64n, 127n, 128n, 255n, 256n].flatMap((bits) => [2n ** bits - 1n, 2n ** bits % 2n ** 256n]),
  2n ** 255n + 1n,
  2n ** 256n - 2n,
]

function push(value: bigint): number[] {
  const bytes = bigintToBytes(value, 32)
  const first = bytes.findIndex((byte) => byte !== 0)
  const significant = first < 0 ? bytes.subarray(31) : bytes.subarray(first)
  return [0x5f + significant.length, ...significant]
}

const pushPlace = (place: number): number[] => [0x61, place >> 8, place & 0xff]

/** Returns memory up to an offset. */
const returnMemory = (length: number): number[] => [...pushPlace(length), 0x5f, 0xf3]

describe('runPlain behaves like an unpatched ethereumjs', () => {
  const binary = [
    0x01, 0x02, 0x03, 0x04, 0x06, 0x10, 0x11, 0x12, 0x13, 0x14, 0x16, 0x17, 0x18, 0x1b, 0x1c, 0x1d,
  ]
  it.each(binary.map((opcode) => [opcode.toString(16)]))(
    'with all pairs of edges, for opcode 0x%s',
    async (hex) => {
      const opcode = Number.parseInt(hex, 16)
      const pairs = edges.flatMap((a) => edges.map((b) => [...push(b), ...push(a), opcode]))
      // Also stores ISZERO of the result: a word of more than 256 bits would not show in memory.
      const code = pairs.flatMap((pair, index) => [
        ...[...pair, 0x80, 0x15, ...pushPlace(64 * index), 0x52],
        ...[...pushPlace(64 * index + 32), 0x52],
      ])
      const { failed } = await expectSame([...code, ...returnMemory(64 * pairs.length)])
      expect(failed).toBe(false)
    },
  )

  it.each([
    ['15', 'ISZERO'],
    ['19', 'NOT'],
    ['35', 'CALLDATALOAD'],
  ])('with all edges, for opcode 0x%s (%s)', async (hex) => {
    const opcode = Number.parseInt(hex, 16)
    const code = edges.flatMap((a, index) => [...push(a), opcode, ...pushPlace(32 * index), 0x52])
    const data = Uint8Array.from({ length: 70 }, (_, index) => index + 1)
    const { failed } = await expectSame([...code, ...returnMemory(32 * edges.length)], { data })
    expect(failed).toBe(false)
  })

  it('with the context of a call: its sender, value and data', async () => {
    const opcodes = [0x33, 0x34, 0x36, 0x3d]
    const code = opcodes.flatMap((opcode, index) => [opcode, ...pushPlace(32 * index), 0x52])
    await expectSame([...code, ...returnMemory(32 * opcodes.length)], { data: new Uint8Array(300).fill(1) })
  })

  it('with every depth of DUP and SWAP, on a stack that is deep enough or not', async () => {
    for (let opcode = 0x80; opcode <= 0x9f; opcode++) {
      for (const depth of [opcode & 15, (opcode & 15) + 1, 17]) {
        const items = Array.from({ length: depth }, (_, index) => push(BigInt(index + 1))).flat()
        const stores = Array.from({ length: depth }, (_, index) => [...pushPlace(32 * index), 0x52]).flat()
        await expectSame([...items, opcode, ...stores, ...returnMemory(32 * depth)])
      }
    }
  })

  it('with memory that exists, that ends within a word, and that has to grow', async () => {
    for (const offset of [0, 1, 31, 32, 33, 63, 64, 65, 95, 96, 97, 8159, 8160, 8161, 8192, 20_000]) {
      for (const opcode of [0x51, 0x52]) {
        const access = [...push(7n), ...pushPlace(offset), opcode]
        await expectSame([...push(3n), ...pushPlace(64), 0x52, ...access, ...returnMemory(160)])
        await expectSame([...access, ...access, ...returnMemory(64)])
      }
    }
    await expectSame([...push(1n), ...push(2n ** 64n), 0x52])
    await expectSame([...push(2n ** 255n), 0x51])
  })

  it('with a jump to every position of a code, and beyond it', async () => {
    // Each 0x5b is a JUMPDEST, except within the data of a PUSH, the last of which ends with the code.
    const tail = [0x5b, 0x60, 0x5b, 0x5b, 0x61, 0x5b, 0x5b, 0x5b, 0x00, 0x62, 0x00, 0x5b]
    for (let place = 0; place < 30; place++) {
      await expectSame([...pushPlace(place), 0x56, ...tail])
      await expectSame([...push(1n), ...pushPlace(place), 0x57, ...tail])
      await expectSame([...push(0n), ...pushPlace(place), 0x57, ...tail])
    }
    await expectSame([...push(2n ** 64n + 5n), 0x56, ...tail])
  })

  it('with a jump within code of megabytes, whose jump targets are found in steps', async () => {
    const end = 1024 * 1024
    for (const [target, isValid] of [
      [end - 2, true],
      [end, false],
      [end + 1, false],
      [end + 2, true],
      [2 * end, true],
      [2 * end + 1, false],
    ] as const) {
      const code = new Uint8Array(2 * end + 1)
      code.set([...push(BigInt(target)), 0x56])
      code.set([0x5b, 0x61, 0x5b, 0x5b, 0x5b], end - 2)
      code[2 * end] = 0x5b
      expect(await expectSame(code)).toMatchObject({ failed: !isValid })
    }
  })

  it('with every amount of gas up to what a code needs', async () => {
    const loop = [
      ...[...push(3n), 0x5b],
      ...[...push(1n), 0x90, 0x03, 0x80, 0x80, 0x5f, 0x52, 0x5f, 0x51, 0x02, 0x50],
      ...[0x36, 0x35, 0x33, 0x16, 0x80, 0x15, 0x19, 0x10, 0x50, 0x80, ...pushPlace(2), 0x57],
    ]
    const { gas: needed, failed } = await expectSame(loop)
    expect(failed).toBe(false)
    for (let gas = 0n; gas <= needed + 1n; gas++) {
      expect(await expectSame(loop, { gas })).toMatchObject({ failed: gas < needed })
    }
  })

  it('with a function selector, and with code that only looks like reading one', async () => {
    const bytes = Uint8Array.from({ length: 36 }, (_, index) => 255 - index)
    for (const data of [0, 1, 3, 4, 5, 31, 32, 36].map((length) => bytes.subarray(0, length))) {
      for (const [place, shift, opcode] of [
        [0, 224, 0x1c],
        [1, 224, 0x1c],
        [0, 223, 0x1c],
        [0, 224, 0x1b],
      ] as const) {
        await expectSame([0x60, place, 0x35, 0x60, shift, opcode, 0x5f, 0x52, ...returnMemory(32)], { data })
      }
      await expectSame([0x5f, 0x35, 0x60, 224], { data })
      await expectSame([0x5f, 0x35, 0x60], { data })
    }
    for (let gas = 0n; gas < 12n; gas++) await expectSame([0x5f, 0x35, 0x60, 224, 0x1c], { data: bytes, gas })
    for (const depth of [1022, 1023, 1024]) {
      await expectSame([...new Array<number>(depth).fill(0x5f), 0x35, 0x60, 224, 0x1c], { data: bytes })
    }
  })

  it('with pushes that ran before, whether or not the next opcode uses them', async () => {
    const uses = [
      ...[0x60, 0x40, 0x51, 0x60, 0xc0, 0x52],
      ...[0x60, 4, 0x35, 0x60, 0xe0, 0x52],
      ...[0x60, 0x40, 0x60, 0x20, 0x50, 0x51, 0x61, 1, 0, 0x52],
      ...[0x60, 7, 0x60, 0x60, 0x81, 0x52, 0x50, 0x5f, 0x60, 8, 0x35, 0x15, 0x52],
      ...push(2n ** 64n + 4n),
      ...[0x35, 0x60, 0x80, 0x52],
    ]
    const again = 3
    const code = [...[0x60, 4, 0x5b, 0x5b, ...uses], ...[0x60, 1, 0x90, 0x03, 0x80, 0x60, again, 0x57]]
    const behind = code.length + 8
    const jumps = [...[0x60, behind, 0x60, 5, 0x50, 0x56, 0xfe, 0xfe], ...[0x5b, ...returnMemory(320)]]
    const data = Uint8Array.from({ length: 70 }, (_, index) => index + 1)
    const { failed } = await expectSame([...code, ...jumps], { data })
    expect(failed).toBe(false)
    await expectSame([0x5b, ...push(2n ** 64n), 0x50, 0x60, 0, 0x56])
  })

  it('with a stack that overflows', async () => {
    for (const opcode of [0x5f, 0x80, 0x36, 0x33]) {
      await expectSame([0x5f, 0x5b, opcode, ...pushPlace(1), 0x56])
    }
  })

  it('with random programs, most of which fail somewhere', async () => {
    const operations = [
      0x01, 0x03, 0x06, 0x0b, 0x10, 0x15, 0x1a, 0x1d, 0x35, 0x50, 0x51, 0x52, 0x53, 0x58, 0x5a,
    ]
    for (let seed = 1; seed <= 500; seed++) {
      const random = seededRandom(seed)
      const statement = (): number[] => {
        const kind = random(5)
        if (kind === 0) return push(edges[random(edges.length)] as bigint)
        if (kind === 1) return [...pushPlace(random(200)), 0x5b, random(4) === 0 ? 0x56 : 0x57]
        return kind === 2 ? [0x80 + random(32)] : [operations[random(operations.length)] as number]
      }
      const items = Array.from({ length: 18 }, () => push(edges[random(edges.length)] as bigint))
      const code = [...items, ...Array.from({ length: random(60) }, statement)].flat()
      await expectSame([...code, 0x5f, 0x52, ...returnMemory(64)], { gas: BigInt(random(3_000)) })
    }
  })
})
