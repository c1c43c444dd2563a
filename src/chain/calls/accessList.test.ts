import { encodeFunctionData, keccak256, encodeAbiParameters } from 'viem'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { readArtifact } from '../../../test/support/artifacts.js'
import { alice, bob, createTestSite } from '../../../test/support/callSite.js'
import { bytesToHex, hexToBytes } from '../../encoding/hex.js'
import { RequestTimeoutError } from '../errors.js'
import { createAccessList } from './accessList.js'
import { executeCall, withCall } from './call.js'

const contract = new Uint8Array(20).fill(0xc0)
const other = new Uint8Array(20).fill(0xc1)

function encode(name: string, functionName: string, args: readonly unknown[] = []): Uint8Array {
  return hexToBytes(encodeFunctionData({ abi: readArtifact(name).abi, functionName, args }))
}

function toText(list: { address: Uint8Array; storageKeys: Uint8Array[] }[]) {
  return list.map(({ address, storageKeys }) => [bytesToHex(address), storageKeys.map(bytesToHex)])
}

describe('createAccessList', () => {
  it('lists the slots of the recipient, sorted, and returns the gas with the list', async () => {
    const site = await createTestSite({ Store: { address: contract } })
    const account = `0x${'b0'.repeat(20)}` as const
    const call = { from: alice, to: contract, data: encode('Store', 'setBalance', [account, 7n]) }
    const result = await createAccessList({ site, call })
    const slot = keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [account, 2n]))
    expect(toText(result.accessList)).toEqual([[bytesToHex(contract), [slot]]])
    const applied = await withCall({ site, call: { ...call, accessList: result.accessList } }, executeCall)
    expect(result.gasUsed).toBe(applied.gasUsed)
    expect(result.error).toBeUndefined()
  })

  it('lists other contracts, but not the sender, the recipient or precompiles', async () => {
    const site = await createTestSite({ NestedCaller: { address: contract }, Store: { address: other } })
    const inner = bytesToHex(encode('Store', 'setNumber', [1n]))
    const forward = (to: Uint8Array, data: string) =>
      createAccessList({
        site,
        call: { from: alice, to: contract, data: encode('NestedCaller', 'forward', [bytesToHex(to), data]) },
      })
    const zero = `0x${'00'.repeat(32)}`
    expect(toText((await forward(other, inner)).accessList)).toEqual([[bytesToHex(other), [zero]]])
    expect(toText((await forward(hexToBytes(`${'00'.repeat(19)}02`), '0x')).accessList)).toEqual([])
    expect(toText((await forward(bob, '0x')).accessList)).toEqual([[bytesToHex(bob), []]])
    expect(toText((await forward(alice, '0x')).accessList)).toEqual([])
  })

  it('gives up where every run touches something new', async () => {
    const site = await createTestSite()
    // BALANCE(GAS): each entry of the list leaves less gas.
    const stateOverrides = [{ address: contract, code: hexToBytes('5a31') }]
    const clock = vi.spyOn(performance, 'now')
    let now = 0
    clock.mockImplementation(() => (now += 1000))
    onTestFinished(() => clock.mockRestore())
    const list = createAccessList({ site, call: { to: contract }, stateOverrides })
    await expect(list).rejects.toThrow(RequestTimeoutError)
  })

  it('repeats until a run touches the same as the one before', async () => {
    const site = await createTestSite()
    // The gas of SLOAD(0), cold at first and warm with the list, decides which other slot it touches.
    const code = hexToBytes('5a5f54505a90035f5260ff5f5111601557600254005b60015400')
    const stateOverrides = [{ address: contract, code }]
    const result = await createAccessList({ site, call: { to: contract }, stateOverrides })
    expect(result.accessList.length).toBe(1)
    const again = await createAccessList({
      site,
      call: { to: contract, accessList: result.accessList },
      stateOverrides,
    })
    expect(again).toEqual(result)
    expect(result.accessList[0]?.storageKeys.map((slot) => slot.at(-1))).toEqual([0, 2])
  })

  it('lists what an opcode would have touched that finds too few stack items', async () => {
    const site = await createTestSite()
    const listOf = async (code: string): Promise<unknown> => {
      const stateOverrides = [{ address: contract, code: hexToBytes(code) }]
      const { accessList, error } = await createAccessList({ site, call: { to: contract }, stateOverrides })
      return [toText(accessList), error]
    }
    const slot = `0x${'00'.repeat(31)}01`
    const account = `0x${'b0'.repeat(20)}`
    expect(await listOf('600155')).toEqual([[[bytesToHex(contract), [slot]]], 'stack underflow (1 <=> 2)'])
    expect(await listOf('54')).toEqual([[], 'stack underflow (0 <=> 1)'])
    expect(await listOf(`73${account.slice(2)}3c`)).toEqual([[[account, []]], 'stack underflow (1 <=> 4)'])
    expect(await listOf(`5f5f5f73${account.slice(2)}5ff1`)).toEqual([
      [[account, []]],
      'stack underflow (5 <=> 7)',
    ])
    expect(await listOf(`5f5f73${account.slice(2)}5ff1`)).toEqual([[], 'stack underflow (4 <=> 7)'])
  })

  it('reports a failure within the result', async () => {
    const site = await createTestSite({ Reverter: { address: contract } })
    const call = { to: contract, data: encode('Reverter', 'revertWithReason', ['no']) }
    expect(await createAccessList({ site, call })).toMatchObject({
      error: 'execution reverted',
      accessList: [],
    })
  })

  it('rejects a call that may not run', async () => {
    const site = await createTestSite()
    await expect(async () =>
      createAccessList({ site, call: { from: bob, to: alice, value: 1n } }),
    ).rejects.toThrow(
      /^failed to apply transaction: 0x[0-9a-f]{64} err: insufficient funds for gas \* price \+ value: address /,
    )
  })
})
