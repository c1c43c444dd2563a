import { createBlock } from '@ethereumjs/block'
import { Common, Mainnet, type StateManagerInterface } from '@ethereumjs/common'
import { MerkleStateManager } from '@ethereumjs/statemanager'
import { createEOACode7702Tx } from '@ethereumjs/tx'
import { Account, Address } from '@ethereumjs/util'
import { createVM, runTx } from '@ethereumjs/vm'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { createMemoryState } from '../../../test/support/memoryState.js'
import { bytesToHex, hexToBytes, quantity } from '../../encoding/hex.js'
import type { Authorization } from '../calls/callObject.js'
import { privateKeyToAddress } from '../crypto.js'
import { createRules } from '../evm/forkSchedule.js'
import { type BlockEnvironment, withEvm } from './blockEnvironment.js'
import { recoverAuthority } from './message.js'
import { transactionChecks } from './preCheck.js'
import { runMessage } from './runTransaction.js'

const privateKey = new Uint8Array(32).fill(7)
const sender = privateKeyToAddress(privateKey)
const authorityKey = new Uint8Array(32).fill(8)
const authority = privateKeyToAddress(authorityKey)
const contract = new Uint8Array(20).fill(0xc0)
const coinbase = new Address(new Uint8Array(20).fill(0xcc))
const fees = { maxFeePerGas: 50n, maxPriorityFeePerGas: 3n }

async function fillState<S extends StateManagerInterface>(state: S): Promise<S> {
  await state.putAccount(new Address(sender), new Account(3n, 10n ** 24n))
  await state.putAccount(new Address(contract), new Account(1n, 0n))
  // Stores CALLER in slot 0.
  await state.putCode(new Address(contract), hexToBytes('335f55'))
  return state
}

async function authorize(
  key: Uint8Array,
  {
    chainId = 31337,
    nonce = 0,
    address = contract,
  }: { chainId?: number; nonce?: number; address?: Uint8Array },
): Promise<Authorization> {
  const signed = await privateKeyToAccount(bytesToHex(key)).signAuthorization({
    contractAddress: bytesToHex(address),
    chainId,
    nonce,
  })
  return {
    chainId: BigInt(chainId),
    address,
    nonce: BigInt(nonce),
    yParity: BigInt(signed.yParity ?? 0),
    r: BigInt(signed.r),
    s: BigInt(signed.s),
  }
}

describe('authorizations', () => {
  it('recovers the signer', async () => {
    const authorization = await authorize(authorityKey, {})
    expect(recoverAuthority(authorization)).toEqual(authority)
    expect(recoverAuthority({ ...authorization, yParity: 2n })).toBeUndefined()
    expect(recoverAuthority({ ...authorization, s: 2n ** 255n })).toBeUndefined()
    expect(recoverAuthority({ ...authorization, r: 0n })).toBeUndefined()
  })

  it.each([
    ['one', [{}]],
    ['one for any chain', [{ chainId: 0 }]],
    ['one for another chain', [{ chainId: 5 }]],
    ['one with a later nonce', [{ nonce: 1 }]],
    ['two of the same account', [{}, { nonce: 1 }]],
    ['one and its revocation', [{}, { nonce: 1, address: new Uint8Array(20) }]],
    ['one to a precompile', [{ address: hexToBytes(`${'00'.repeat(19)}04`) }]],
  ])('leave the same state as runTx of an unpatched ethereumjs: %s', async (_, list) => {
    const authorizationList = await Promise.all(list.map((fields) => authorize(authorityKey, fields)))
    const own = await authorize(privateKey, { nonce: 4 })
    const all = [...authorizationList, own]
    const common = new Common({ chain: { ...Mainnet, chainId: 31337 }, hardfork: 'osaka' })
    const expectedState = await fillState(new MerkleStateManager())
    const vm = await createVM({ common, stateManager: expectedState })
    const fields = { nonce: 3n, gasLimit: 400_000n, value: 5n, ...fees }
    const tx = createEOACode7702Tx(
      {
        ...fields,
        chainId: 31337n,
        to: new Address(authority),
        authorizationList: all.map(({ chainId, address, nonce, yParity, r, s }) => ({
          chainId: quantity(chainId),
          address: bytesToHex(address),
          nonce: quantity(nonce),
          yParity: quantity(yParity),
          r: quantity(r),
          s: quantity(s),
        })),
      },
      { common },
    ).sign(privateKey)
    const header = {
      number: 5n,
      coinbase,
      timestamp: 1_800_000_000n,
      gasLimit: 30_000_000n,
      baseFeePerGas: 7n,
    }
    const expected = await runTx(vm, {
      tx,
      block: createBlock({ header }, { common, skipConsensusFormatValidation: true }),
      skipHardForkValidation: true,
    })
    const state = await fillState(createMemoryState())
    const block: BlockEnvironment = {
      header: { ...header, difficulty: 0n, prevRandao: new Uint8Array(32), getBlobGasPrice: () => 1n },
    }
    const rules = createRules({ chainId: 31337n, hardfork: 'osaka' })
    const result = await withEvm({ rules, state, block, blockHash: () => undefined }, (evm) =>
      runMessage(
        evm,
        {
          ...fields,
          from: sender,
          to: authority,
          data: new Uint8Array(0),
          gasPrice: 10n,
          accessList: [],
          authorizationList: all,
        },
        transactionChecks,
      ),
    )
    expect(result.gasUsed).toBe(expected.totalGasSpent)
    expect(bytesToHex(await state.getStateRoot())).toBe(bytesToHex(await expectedState.getStateRoot()))
  })
})
