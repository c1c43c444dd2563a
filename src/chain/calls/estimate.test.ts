import { Address } from '@ethereumjs/util'
import { encodeDeployData, encodeFunctionData } from 'viem'
import { describe, expect, it } from 'vitest'
import { readArtifact } from '../../../test/support/artifacts.js'
import { alice, bob, createTestSite } from '../../../test/support/callSite.js'
import { hexToBytes } from '../../encoding/hex.js'
import { ExecutionFailedError, MessageRejectedError } from '../errors.js'
import { type CallSite, executeCall, withCall } from './call.js'
import type { CallObject } from './callObject.js'
import { estimateGas } from './estimate.js'

const contract = new Uint8Array(20).fill(0xc0)
const LIMIT = 30_000_000n

function encode(name: string, functionName: string, args: readonly unknown[] = []): Uint8Array {
  return hexToBytes(encodeFunctionData({ abi: readArtifact(name).abi, functionName, args }))
}

/** Runs a call to see whether it succeeds with exactly this gas. */
async function passes(site: CallSite, call: CallObject, gas: bigint): Promise<boolean> {
  const copy = { ...site, state: site.state.shallowCopy() }
  return withCall({ site: copy, call: { ...call, gas } }, async (evm, message) => {
    const result = await executeCall(evm, message).catch(() => undefined)
    return result !== undefined && result.failure === undefined
  })
}

/** Finds the minimum gas of a call, by bisection to the last unit. */
async function leastGas(site: CallSite, call: CallObject): Promise<bigint> {
  let [low, high] = [20_999n, LIMIT]
  while (low + 1n < high) {
    const middle = (low + high) / 2n
    if (await passes(site, call, middle)) high = middle
    else low = middle
  }
  return high
}

describe('estimateGas', () => {
  it('estimates exactly 21000 for a plain transfer', async () => {
    const site = await createTestSite()
    expect(await estimateGas({ site, call: { from: alice, to: bob, value: 1n } }, LIMIT)).toBe(21_000n)
    expect(await estimateGas({ site, call: { to: bob } }, LIMIT)).toBe(21_000n)
  })

  // Answers of geth 1.17.10 with the code as a state override.
  it.each([
    ['Store', 'setNumber', [7n], 43_913n],
    ['Store', 'writeAndRestore', [9n, 1n], 22_026n],
    ['Store', 'fill', [0n, 20n, 1n], 471_267n],
    ['Store', 'createChild', [5n], 107_659n],
    ['Store', 'createChild2', [`0x${'00'.repeat(32)}`, 5n], 107_869n],
    ['Store', 'createAndDestroy', [`0x${'00'.repeat(32)}`, `0x${'b0'.repeat(20)}`], 116_546n],
    ['NestedCaller', 'descend', [0n], 45_256n],
    ['NestedCaller', 'descend', [3n], 120_401n],
    ['NestedCaller', 'descend', [40n], 1_397_616n],
    ['Reverter', 'revertSwallowed', ['caught'], 24_309n],
    ['GasDependent', 'needs', [1_000_000n], 1_025_728n],
    ['GasDependent', 'needs', [5_000_000n], 5_035_392n],
    ['GasDependent', 'forwards', [400_000n], 250_802n],
  ])("returns the number of geth's search for %s.%s(%s)", async (name, functionName, args, expected) => {
    const site = await createTestSite({ [name]: { address: contract } })
    const call = { from: alice, to: contract, data: encode(name, functionName, args) }
    const estimate = await estimateGas({ site, call }, LIMIT)
    expect(estimate).toBe(expected)
    expect(await passes(site, call, estimate)).toBe(true)
    const least = await leastGas(site, call)
    expect(Number(estimate - least) / Number(estimate)).toBeLessThanOrEqual(0.015)
  })

  it('estimates a creation', async () => {
    const site = await createTestSite()
    const { abi, bytecode } = readArtifact('Token')
    const data = hexToBytes(encodeDeployData({ abi, bytecode, args: ['A', 'B', 5n] }))
    expect(await estimateGas({ site, call: { from: alice, data } }, LIMIT)).toBe(560_337n)
  })

  it("searches if the payer's remaining balance decides, although the code does not read its gas", async () => {
    const site = await createTestSite()
    const gasPrice = 10n ** 9n
    // Succeeds only if at least a million gas was paid from alice's ten ether.
    const most = (10n ** 19n - 1_000_000n * gasPrice).toString(16).padStart(16, '0')
    // CALLER BALANCE PUSH8 most LT PUSH1 0x10 JUMPI STOP JUMPDEST PUSH0 PUSH0 REVERT
    await site.state.putCode(new Address(contract), hexToBytes(`333167${most}10601057005b5f5ffd`))
    const call = { from: alice, to: contract, gasPrice }
    const estimate = await estimateGas({ site, call }, LIMIT)
    expect(estimate).toBeGreaterThanOrEqual(1_000_000n)
    expect(estimate).toBeLessThanOrEqual(1_015_300n)
  })

  it('fails like geth', async () => {
    const site = await createTestSite({ Reverter: { address: contract }, GasDependent: { address: bob } })
    const estimate = async (call: CallObject) => estimateGas({ site, call }, LIMIT)
    await expect(
      estimate({ to: contract, data: encode('Reverter', 'revertWithReason', ['no']) }),
    ).rejects.toThrow('execution reverted: no')
    await expect(estimate({ to: bob, data: encode('GasDependent', 'burnAll') })).rejects.toThrow(
      new ExecutionFailedError('invalid opcode: INVALID'),
    )
    await expect(
      estimate({ to: contract, data: encode('Reverter', 'outOfGas'), gas: 500_000n }),
    ).rejects.toThrow(new ExecutionFailedError('gas required exceeds allowance (500000)'))
    await expect(estimate({ from: bob, to: alice, value: 1n })).rejects.toThrow(MessageRejectedError)
    await expect(estimate({ from: bob, to: alice, value: 1n })).rejects.toThrow(
      /^failed with 30000000 gas: insufficient funds for gas \* price \+ value: address 0x\S+ have 0 want 1$/,
    )
    await expect(estimate({ from: alice, to: bob, value: 10n ** 19n, gasPrice: 10n ** 9n })).rejects.toThrow(
      /^insufficient funds for transfer$/,
    )
    // The blob costs exactly 10^19 wei, so nothing is left for gas.
    const blobs = {
      blobVersionedHashes: [new Uint8Array(32).fill(1)],
      maxFeePerBlobGas: 10n ** 19n / 2n ** 17n,
    }
    await expect(estimate({ from: alice, to: bob, gasPrice: 10n ** 9n, ...blobs })).rejects.toThrow(
      /^insufficient funds for gas \* price \+ value$/,
    )
    // A zero balance does not even cover a zero value: geth requires more than the value.
    await expect(estimate({ from: bob, to: alice, gasPrice: 10n ** 9n })).rejects.toThrow(
      /^insufficient funds for transfer$/,
    )
  })

  it('charges for rounds of BLAKE2b', async () => {
    const site = await createTestSite({})
    const estimate = (rounds: number) => {
      const data = new Uint8Array(213)
      data.set([0, 0, rounds >> 8, rounds & 0xff])
      data[212] = 1
      return estimateGas(
        { site, call: { from: alice, to: hexToBytes(`0x${'00'.repeat(19)}09`), data } },
        LIMIT,
      )
    }
    // Answers of geth 1.17.10.
    expect(await estimate(0x0fff)).toBe(26_325n)
    expect(await estimate(0x2fff)).toBe(34_533n)
  })

  it('is limited by what the sender can pay', async () => {
    const site = await createTestSite({ Reverter: { address: contract } })
    const gasPrice = 10n ** 14n
    const call = { from: alice, to: contract, gasPrice, data: encode('Reverter', 'outOfGas') }
    await expect(async () => estimateGas({ site, call }, LIMIT)).rejects.toThrow(
      'gas required exceeds allowance (100000)',
    )
  })
})
