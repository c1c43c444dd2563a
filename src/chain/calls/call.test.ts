import { createHash } from 'node:crypto'
import { encodeFunctionData, encodeErrorResult, decodeFunctionResult, keccak256, pad, toHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { readArtifact } from '../../../test/support/artifacts.js'
import { alice, bob, createTestSite } from '../../../test/support/callSite.js'
import { bytesToHex, hexToBytes } from '../../encoding/hex.js'
import { MemoryShare } from '../../encoding/memoryShare.js'
import { nextTurn } from '../../encoding/timeSlice.js'
import { checksumAddress } from '../accounts/address.js'
import { ChainError, ExecutionFailedError, ExecutionRevertedError, MessageRejectedError } from '../errors.js'
import { createRules } from '../evm/forkSchedule.js'
import type { ForkRules } from '../types.js'
import { createAccessList } from './accessList.js'
import { call as callAtOnce, type CallRequest } from './call.js'
import type { CallObject } from './callObject.js'

const contract = new Uint8Array(20).fill(0xc0)

async function encodedCall(name: string, functionName: string, args: readonly unknown[] = []) {
  const { abi } = readArtifact(name)
  return hexToBytes(encodeFunctionData({ abi, functionName, args }))
}

/** [function of Reverter, arguments, the message after `execution reverted`] */
const reverts: [string, unknown[], string][] = [
  ['revertWithReason', ['no such luck: ✗'], ': no such luck: ✗'],
  ['revertWithReason', [''], ': '],
  ['revertWithoutReason', [], ''],
  ['revertWithCustomError', [`0x${'11'.repeat(20)}`, 1n, 2n], ''],
  ['revertWithPlainError', [], ''],
  ['revertWithData', ['0x08c379a0'], ''],
  ['revertWithData', ['0x08c379'], ''],
  ['panicAssert', [false], ': assert(false)'],
  ['panicOverflow', [2n ** 256n - 1n, 1n], ': arithmetic underflow or overflow'],
  ['panicDivision', [1n, 0n], ': division or modulo by zero'],
  ['panicEnum', [2n], ': enum overflow'],
  ['panicStorageEncoding', [], ': invalid encoded storage byte array accessed'],
  ['panicPop', [], ': out-of-bounds array access; popping on an empty array'],
  ['panicIndex', [0n], ': out-of-bounds access of an array or bytesN'],
  ['panicMemory', [2n ** 64n], ': out of memory'],
  ['panicUnsetFunction', [], ': uninitialized function'],
  ['revertWithData', [`0x4e487b71${'99'.padStart(64, '0')}`], ': unknown panic code: 0x99'],
  ['revertBelow', ['from below'], ': from below'],
]

const digest = (algorithm: string) => (bytes: Uint8Array) =>
  bytesToHex(createHash(algorithm).update(bytes).digest())

/** Like `callAtOnce`, with every failure as a rejection. */
const call = async (request: CallRequest): Promise<Uint8Array> => callAtOnce(request)

describe('call', () => {
  it('returns the output of the code and discards its writes', async () => {
    const site = await createTestSite({ Store: { address: contract } })
    const data = await encodedCall('Store', 'increment')
    for (let round = 0; round < 2; round++) {
      const site2 = { ...site, state: site.state.shallowCopy() }
      const output = await call({ site: site2, call: { to: contract, data } })
      expect(BigInt(bytesToHex(output))).toBe(1n)
    }
    expect(await call({ site, call: { to: bob } })).toEqual(new Uint8Array(0))
  })

  it.each([
    ['keccak-256', '6230000060002060005260206000f3', keccak256],
    ['SHA-256', '60206000623000006000600262fffffffa5060206000f3', digest('sha256')],
    ['RIPEMD-160', '60206000623000006000600362fffffffa5060206000f3', digest('ripemd160')],
  ])('computes %s of three megabytes', async (_, code, hash) => {
    const site = await createTestSite()
    const stateOverrides = [{ address: contract, code: hexToBytes(code) }]
    const output = await call({ site, call: { to: contract, gas: 100_000_000n }, stateOverrides })
    expect(bytesToHex(output)).toBe(pad(hash(new Uint8Array(0x300000))))
  })

  it.each([
    ['a call', { to: bob }, 21_000n + 1_500_000n * 4n + 1_500_000n * 16n],
    ['an unpriced creation', {}, undefined],
  ])('charges the three megabytes of %s', async (_, members, want) => {
    const site = await createTestSite()
    const data = Uint8Array.from({ length: 3_000_000 }, (_byte, index) => index % 2)
    const refused = (gas: bigint) => call({ site, call: { ...members, data, gas } })
    if (want === undefined) {
      await expect(refused(300_000_000n)).rejects.toThrow('max initcode size exceeded')
      return
    }
    await expect(refused(want - 1n)).rejects.toThrow(`intrinsic gas too low: have ${want - 1n}, want ${want}`)
    const floor = 21_000n + (1_500_000n + 4n * 1_500_000n) * 10n
    await expect(refused(want)).rejects.toThrow(
      `insufficient gas for floor data gas cost: have ${want}, want ${floor}`,
    )
    expect(await refused(floor)).toEqual(new Uint8Array(0))
  })

  it('lets a creation by a sender with the highest nonce fail like geth', async () => {
    const site = await createTestSite({})
    const stateOverrides = [{ address: alice, nonce: 2n ** 64n - 1n }]
    const creation = call({ site, call: { from: alice, data: Uint8Array.of(0) }, stateOverrides })
    await expect(creation).rejects.toThrow('nonce uint64 overflow')
  })

  it('lets a balance wrap at 256 bits like geth', async () => {
    const site = await createTestSite({})
    // SELFBALANCE PUSH0 MSTORE PUSH1 32 PUSH0 RETURN
    const code = hexToBytes('475f5260205ff3')
    const stateOverrides = [{ address: contract, code, balance: 2n ** 256n - 1n }]
    const message = { from: alice, to: contract, value: 1n }
    expect(await call({ site, call: message, stateOverrides })).toEqual(new Uint8Array(32))
    expect(await createAccessList({ site, call: message, stateOverrides })).not.toHaveProperty('error')
  })

  it('lets an execution wait for memory that other requests hold', async () => {
    const site = await createTestSite({})
    // PUSH1 1 PUSH3 400000 MSTORE
    const stateOverrides = [{ address: contract, code: hexToBytes('60016240000052') }]
    const holder = new MemoryShare()
    expect(holder.claim(256 * 1024 * 1024)).toBeUndefined()
    const memory = new MemoryShare()
    let isOver = false
    const running = Promise.resolve(
      call({ site, call: { to: contract }, stateOverrides, gasCapInBlocks: 10, requester: { memory } }),
    ).then(() => (isOver = true))
    await nextTurn()
    expect(isOver).toBe(false)
    holder.end()
    expect(await running).toBe(true)
    memory.end()
  })

  it('ends an execution that nobody waits for any more', async () => {
    const site = await createTestSite({})
    // JUMPDEST PUSH0 JUMP
    const stateOverrides = [{ address: contract, code: hexToBytes('5b5f56') }]
    const request = {
      site,
      call: { to: contract, gas: 10_000_000_000n },
      stateOverrides,
      gasCapInBlocks: 1e9,
    }
    const running = call({ ...request, requester: { signal: AbortSignal.abort() } })
    await expect(running).rejects.toThrow('the client is gone')
  })

  it.each(reverts)('decodes the revert reason of %s(%s)', async (functionName, args, words) => {
    const site = await createTestSite({ Reverter: { address: contract } })
    const data = await encodedCall('Reverter', functionName, args)
    const error = await call({ site, call: { to: contract, data } }).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ExecutionRevertedError)
    expect((error as Error).message).toBe(`execution reverted${words}`)
  })

  it('passes on the data of a custom error', async () => {
    const site = await createTestSite({ Reverter: { address: contract } })
    const args = [`0x${'11'.repeat(20)}`, 1n, 2n] as const
    const data = await encodedCall('Reverter', 'revertWithCustomError', args)
    const error = await call({ site, call: { to: contract, data } }).catch((thrown: unknown) => thrown)
    const { abi } = readArtifact('Reverter')
    expect(bytesToHex((error as ExecutionRevertedError).data)).toBe(
      encodeErrorResult({ abi, errorName: 'InsufficientFunds', args }),
    )
  })

  it.each([
    ['0xfe', 'invalid opcode: INVALID'],
    ['0x0c', 'invalid opcode: opcode 0xc not defined'],
    ['0x01', 'stack underflow (0 <=> 2)'],
    ['0x6001600255600156', 'invalid jump destination'],
    ['0x6001565b', 'invalid jump destination'],
    ['0x5b5f5f56', 'stack limit reached 1024 (1023)'],
    ['0x60015f5f3e', 'return data out of bounds'],
    ['0x5b5f56', 'out of gas'],
    ['0x5b5a6108fd10600057600160005500', 'out of gas: not enough gas for reentrancy sentry'],
  ])('reports the failure of %s like geth', async (code, words) => {
    const site = await createTestSite()
    const stateOverrides = [{ address: contract, code: hexToBytes(code) }]
    const request = { site, call: { to: contract, gas: 100_000n }, stateOverrides }
    await expect(call(request)).rejects.toThrow(new ExecutionFailedError(words))
  })

  it.each([
    ['0x61ffff6000f3', 16_000_000n, 'max code size exceeded: code size 65535 limit 24576'],
    ['0x61ffff6000f3', 2_000_000n, 'contract creation code storage out of gas'],
    ['0x60ef60005361ffff6000f3', 16_000_000n, 'invalid code: must not begin with 0xef'],
    ['0x60ef60005361ffff6000f3', 100_000n, 'invalid code: must not begin with 0xef'],
    ['0x6120005ff3', 100_000n, 'contract creation code storage out of gas'],
  ])('reports the failure of the creation %s with %d gas like geth', async (code, gas, words) => {
    const site = await createTestSite()
    await expect(call({ site, call: { data: hexToBytes(code), gas } })).rejects.toThrow(
      new ExecutionFailedError(words),
    )
  })

  it('rejects a call that may not run, with the gas after the cap', async () => {
    const site = await createTestSite()
    const name = checksumAddress(bob)
    const cases: [CallObject, string][] = [
      [
        { from: bob, to: alice, value: 1n },
        `err: insufficient funds for gas * price + value: address ${name} have 0 want 1 (supplied gas 300000000)`,
      ],
      [{ to: bob, gas: 20_000n }, 'err: intrinsic gas too low: have 20000, want 21000 (supplied gas 20000)'],
      [
        { from: bob, to: alice, maxFeePerGas: 5n, gas: 2n ** 63n },
        `err: max fee per gas less than block base fee: address ${name}, maxFeePerGas: 5, baseFee: 1000000000 (supplied gas 300000000)`,
      ],
    ]
    for (const [given, words] of cases) {
      await expect(call({ site, call: given })).rejects.toThrow(new MessageRejectedError(words))
    }
    await expect(call({ site, call: { gasPrice: 1n, maxFeePerGas: 1n } })).rejects.toThrow(
      new ChainError('both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified'),
    )
    await expect(call({ site, call: { to: bob, chainId: 1n } })).rejects.toThrow(
      new ChainError("chainId does not match node's (have=1, want=31337)"),
    )
  })

  it('shows the block to code, with and without overrides', async () => {
    // Stores each to memory: BASEFEE, NUMBER, TIMESTAMP, COINBASE, PREVRANDAO, GASLIMIT, BLOBBASEFEE, BLOCKHASH(5).
    const opcodes = ['48', '43', '42', '41', '44', '45', '4a', '600540']
    const store = opcodes.map((opcode, i) => `${opcode}60${(i * 32).toString(16).padStart(2, '0')}52`)
    const stateOverrides = [{ address: contract, code: hexToBytes(`${store.join('')}6101005ff3`) }]
    const words = (bytes: Uint8Array) =>
      Array.from({ length: 8 }, (_, i) => BigInt(bytesToHex(bytes.subarray(i * 32, i * 32 + 32))))
    const site = await createTestSite()
    const free = words(await call({ site, call: { to: contract }, stateOverrides }))
    const [cc, three, five] = [0xccn, 0x03n, 0x05n].map((byte) => byte)
    const repeated = (byte: bigint, times: number) => BigInt(toHex(new Uint8Array(times).fill(Number(byte))))
    expect(free).toEqual([
      0n,
      7n,
      1_800_000_000n,
      repeated(cc ?? 0n, 20),
      repeated(three ?? 0n, 32),
      30_000_000n,
      1n,
      repeated(five ?? 0n, 32),
    ])
    const paid = words(
      await call({
        site,
        call: { from: alice, to: contract, gasPrice: 2n * 10n ** 9n, gas: 100_000n },
        stateOverrides,
      }),
    )
    expect(paid[0]).toBe(1_000_000_000n)
    const overridden = words(
      await call({
        site,
        call: { to: contract },
        stateOverrides,
        blockOverrides: {
          number: 6n,
          time: 9n,
          feeRecipient: bob,
          prevRandao: new Uint8Array(32),
          gasLimit: 5n,
          blobBaseFee: 77n,
        },
      }),
    )
    expect(overridden.slice(1)).toEqual([6n, 9n, repeated(0xb0n, 20), 0n, 5n, 77n, repeated(5n, 32)])
  })

  it('yields during a long run', async () => {
    const site = await createTestSite()
    const stateOverrides = [{ address: contract, code: hexToBytes('0x5b5f56') }]
    let turns = 0
    const ticking = setInterval(() => turns++, 1)
    await expect(call({ site, call: { to: contract, gas: 20_000_000n }, stateOverrides })).rejects.toThrow(
      'out of gas',
    )
    clearInterval(ticking)
    expect(turns).toBeGreaterThan(1)
  })

  it('runs real contracts', async () => {
    const site = await createTestSite({ NestedCaller: { address: contract } })
    const { abi } = readArtifact('NestedCaller')
    const data = await encodedCall('NestedCaller', 'context')
    const output = await call({ site, call: { from: alice, to: contract, value: 3n, data } })
    const [sender, origin, self, value] = decodeFunctionResult({
      abi,
      functionName: 'context',
      data: bytesToHex(output),
    }) as [string, string, string, bigint]
    expect([sender, origin, self, value]).toEqual([
      checksumAddress(alice),
      checksumAddress(alice),
      checksumAddress(contract),
      3n,
    ])
  })
})

describe('block overrides', () => {
  it('determine the rules: CLZ requires Osaka', async () => {
    const [prague, osaka] = (['prague', 'osaka'] as const).map((hardfork) =>
      createRules({ chainId: 31337n, hardfork }),
    )
    const site = await createTestSite()
    // Returns CLZ of 1.
    const code = hexToBytes('60011e5f5260205ff3')
    const request = (time: bigint): CallRequest => ({
      site: { ...site, rulesAt: ({ timestamp }) => (timestamp < 1_000n ? prague : osaka) as ForkRules },
      call: { to: contract },
      stateOverrides: [{ address: contract, code }],
      blockOverrides: { time },
    })
    expect((await callAtOnce(request(1_000n))).at(-1)).toBe(0xff)
    await expect(async () => callAtOnce(request(999n))).rejects.toThrow(/^invalid opcode: /)
  })
})
