import { generateAddress } from '@ethereumjs/util'
import { describe, expect, it } from 'vitest'
import { alice, bob, createTestSite } from '../../../test/support/callSite.js'
import { bytesToHex, hexToBytes } from '../../encoding/hex.js'
import { checksumAddress } from '../accounts/address.js'
import { call } from './call.js'
import type { AccountOverride } from './overrides.js'

const contract = new Uint8Array(20).fill(0xc0)
const identity = hexToBytes(`${'00'.repeat(19)}04`)
const slot = (last: number) => Uint8Array.from([...new Uint8Array(31), last])
/** Returns BALANCE(CALLER), SLOAD(1) and SLOAD(2). */
const code = hexToBytes('33315f526001546020526002546040525b60605ff3'.replace('5b', ''))

async function words(stateOverrides: AccountOverride[]): Promise<bigint[]> {
  const site = await createTestSite()
  const output = await call({ site, call: { from: alice, to: contract }, stateOverrides })
  return [0, 32, 64].map((at) => BigInt(bytesToHex(output.subarray(at, at + 32))))
}

describe('state overrides', () => {
  it('set balance, code and storage', async () => {
    const stateDiff = [{ slot: slot(1), value: slot(7) }]
    expect(await words([{ address: contract, code, stateDiff }])).toEqual([10n ** 19n, 7n, 0n])
    expect(
      await words([
        { address: alice, balance: 3n },
        { address: contract, code, state: [{ slot: slot(2), value: slot(9) }] },
      ]),
    ).toEqual([3n, 0n, 9n])
  })

  // As geth 1.17.10 answers.
  it('keep the storage of an account in which a contract is created', async () => {
    const site = await createTestSite()
    const created = generateAddress(alice, Uint8Array.of(5))
    // Returns SLOAD(1).
    const initCode = hexToBytes('60015460005260206000f3')
    for (const storage of ['state', 'stateDiff'] as const) {
      const stateOverrides = [{ address: created, [storage]: [{ slot: slot(1), value: slot(5) }] }]
      const fresh = { ...site, state: site.state.shallowCopy() }
      expect(await call({ site: fresh, call: { from: alice, data: initCode }, stateOverrides })).toEqual(
        slot(5),
      )
    }
  })

  it('move precompiles', async () => {
    const site = await createTestSite()
    const data = Uint8Array.of(1, 2, 3)
    const ask = (to: Uint8Array, stateOverrides: AccountOverride[]) =>
      call({ site: { ...site, state: site.state.shallowCopy() }, call: { to, data }, stateOverrides })
    expect(await ask(identity, [])).toEqual(data)
    const moved = [{ address: identity, movePrecompileToAddress: bob }]
    expect(await ask(bob, moved)).toEqual(data)
    expect(await ask(identity, moved)).toEqual(new Uint8Array(0))
    expect(await ask(identity, [{ address: identity, balance: 1n }])).toEqual(new Uint8Array(0))
    expect(await ask(identity, [])).toEqual(data)
  })

  it.each<[AccountOverride[], string]>([
    [
      [{ address: contract, state: [], stateDiff: [] }],
      `account ${checksumAddress(contract)} has both 'state' and 'stateDiff'`,
    ],
    [
      [{ address: bob, movePrecompileToAddress: alice }],
      `account ${checksumAddress(bob)} is not a precompile`,
    ],
    [
      [{ address: identity, movePrecompileToAddress: bob }, { address: bob }],
      `account ${checksumAddress(bob)} is already overridden`,
    ],
  ])('reject contradictions', async (stateOverrides, message) => {
    await expect(words(stateOverrides)).rejects.toThrow(message)
  })
})
