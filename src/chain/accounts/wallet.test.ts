import { Account, Address } from '@ethereumjs/util'
import { parseTransaction, recoverTransactionAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { testBlock, testHeader } from '../../../test/support/callSite.js'
import { bytesToHex } from '../../encoding/hex.js'
import { checksumAddress } from './address.js'
import { ChainError, ExecutionRevertedError } from '../errors.js'
import type { CallObject } from '../calls/callObject.js'
import { MessageExecutor } from '../calls/executor.js'
import { createRules } from '../evm/forkSchedule.js'
import { WorkingState } from '../state/workingState.js'
import type { StateView } from '../types.js'
import { Impersonation } from './impersonation.js'
import { Keyring, UnknownAccountError } from './keyring.js'
import { deriveAccounts } from './mnemonic.js'
import { Wallet } from './wallet.js'

const accounts = await deriveAccounts({ count: 2 })
const keyring = new Keyring(accounts)
const [first, second] = keyring.addresses() as [Uint8Array, Uint8Array]
const reverting = new Uint8Array(20).fill(0xee)
const rules = createRules({ chainId: 31337n, hardfork: 'osaka' })

/** A head on which both accounts have nonce 5 and 1 ether, and one contract reverts. */
async function createState(): Promise<StateView> {
  const state = new WorkingState({
    base: {
      root: new Uint8Array(32),
      getAccount: () => undefined,
      getCode: () => new Uint8Array(0),
      getStorage: () => new Uint8Array(32),
    },
  })
  for (const address of [first, second])
    await state.putAccount(new Address(address), new Account(5n, 10n ** 18n))
  await state.putAccount(new Address(reverting), new Account(1n, 0n))
  await state.putCode(new Address(reverting), Uint8Array.of(0x5f, 0x5f, 0xfd))
  return state.view()
}

async function createWallet(): Promise<Wallet> {
  const state = await createState()
  return new Wallet({
    keyring,
    impersonation: new Impersonation({ automatic: false }),
    view: {
      chainId: 31337n,
      head: () => testBlock,
      rulesAt: () => rules,
      stateAt: async () => ({ header: testHeader, state, rules }),
      blockByHash: () => undefined,
      blockByNumber: () => undefined,
      earlierHash: () => undefined,
      isCanonical: () => true,
    },
    mempool: {
      pendingNonce: (sender) => (sender === second ? 9n : undefined),
      at: () => undefined,
      checkFirst: () => Promise.resolve(),
    },
    executor: new MessageExecutor({ completeFees: () => (call) => call, pendingGasLimit: () => 30_000_000n }),
    suggestedTip: () => 10n ** 9n,
    nextBaseFee: () => testHeader.baseFeePerGas ?? 0n,
  })
}

const to = new Uint8Array(20).fill(0x22)

async function prepare(call: CallObject) {
  const { transaction, sender, hash } = await (await createWallet()).prepare(call)
  const raw = bytesToHex(transaction.serialize())
  return { sender, hash, raw, parsed: parseTransaction(raw) }
}

describe('Wallet', () => {
  it('fills in missing fields and signs', async () => {
    const { sender, parsed, raw, hash } = await prepare({ to, value: 5n })
    expect(sender).toEqual(first)
    expect(parsed).toMatchObject({
      type: 'eip1559',
      chainId: 31337,
      nonce: 5,
      gas: 21_000n,
      value: 5n,
      maxPriorityFeePerGas: 10n ** 9n,
      maxFeePerGas: 3n * 10n ** 9n,
    })
    const signed = raw as Parameters<typeof recoverTransactionAddress>[0]['serializedTransaction']
    expect(await recoverTransactionAddress({ serializedTransaction: signed })).toBe(checksumAddress(first))
    expect(hash.length).toBe(32)
  })

  it('continues after the pending transactions of the sender', async () => {
    expect((await prepare({ from: second, to })).parsed.nonce).toBe(9)
  })

  it('chooses the type like geth', async () => {
    const accessList = [{ address: to, storageKeys: [] }]
    expect((await prepare({ to, gasPrice: 2n * 10n ** 9n, accessList })).parsed.type).toBe('eip2930')
    expect((await prepare({ to, accessList })).parsed).toMatchObject({ type: 'eip1559', accessList: [{}] })
    const creation = (await prepare({ data: Uint8Array.of(0x00) })).parsed
    expect([creation.type, creation.to]).toEqual(['eip1559', undefined])
    const authorization = { chainId: 0n, address: to, nonce: 0n, yParity: 0n, r: 1n, s: 1n }
    expect((await prepare({ to, authorizationList: [authorization] })).parsed.type).toBe('eip7702')
  })

  it.each<[CallObject, string]>([
    [{ from: to }, 'unknown account'],
    [{}, 'contract creation without any data provided'],
    [{ to, chainId: 1n }, "chainId does not match node's (have=1, want=31337)"],
    [{ blobVersionedHashes: [new Uint8Array(32)] }, 'missing "to" in blob transaction'],
    [{ to, blobVersionedHashes: [] }, 'need at least 1 blob for a blob transaction'],
    [
      { data: Uint8Array.of(1), authorizationList: [] },
      'authorizationList provided for contract creation, but "to" field is missing',
    ],
  ])("rejects with geth's message (case %#)", async (call, words) => {
    const refused = (await createWallet()).prepare(call)
    await expect(refused).rejects.toThrow(ChainError)
    await expect(refused).rejects.toThrow(words)
  })

  it('fails if the estimate fails', async () => {
    await expect(prepare({ to: reverting })).rejects.toThrow(ExecutionRevertedError)
    expect((await prepare({ to: reverting, gas: 50_000n })).parsed.gas).toBe(50_000n)
  })

  it('fills in twice the base fee, like geth', async () => {
    const wallet = await createWallet()
    const complete = async (call: CallObject) =>
      (await wallet.complete({ from: first, to, ...call })).transaction
    // The next block's base fee is 1 gwei, and so is the suggested tip.
    const gwei = 10n ** 9n
    expect(await complete({})).toMatchObject({ maxFeePerGas: 3n * gwei, maxPriorityFeePerGas: gwei })
    expect(await complete({ maxPriorityFeePerGas: 4n })).toMatchObject({ maxFeePerGas: 2n * gwei + 4n })
    expect(await complete({ maxFeePerGas: 5n * gwei })).toMatchObject({ maxFeePerGas: 5n * gwei })
    await expect(complete({ maxFeePerGas: gwei - 1n })).rejects.toThrow(
      'maxFeePerGas (0x3b9ac9ff) < maxPriorityFeePerGas (0x3b9aca00)',
    )
    expect(await complete({ gasPrice: 5n * gwei })).toMatchObject({ type: 0, gasPrice: 5n * gwei })
  })

  it('signs without sending only if the transaction is complete', async () => {
    const wallet = await createWallet()
    const fees = { maxFeePerGas: 2n * 10n ** 9n, maxPriorityFeePerGas: 1n }
    await expect(wallet.sign({ from: first, to })).rejects.toThrow('gas not specified')
    await expect(wallet.sign({ from: first, to, gas: 21_000n })).rejects.toThrow(
      'missing gasPrice or maxFeePerGas/maxPriorityFeePerGas',
    )
    await expect(wallet.sign({ from: first, to, gas: 21_000n, ...fees })).rejects.toThrow(
      'nonce not specified',
    )
    const signed = await wallet.sign({ from: first, to, gas: 21_000n, nonce: 77n, ...fees })
    expect(signed.transaction.nonce).toBe(77n)
    await expect(wallet.sign({ from: to, to, gas: 21_000n, nonce: 7n, ...fees })).rejects.toThrow(
      UnknownAccountError,
    )
  })

  it.each<[string, CallObject]>([
    ['2097153, limit 2097152', { data: new Uint8Array(2 * 1024 * 1024 + 1) }],
    [
      '264021, limit 262144',
      { accessList: [{ address: to, storageKeys: Array(8000).fill(new Uint8Array(32)) }] },
    ],
  ])('signs no transaction of size %s', async (size, members) => {
    const wallet = await createWallet()
    const fees = { maxFeePerGas: 2n * 10n ** 9n, maxPriorityFeePerGas: 1n }
    await expect(
      wallet.sign({ from: first, to, gas: 10n ** 8n, nonce: 5n, ...fees, ...members }),
    ).rejects.toThrow(`oversized data: transaction size ${size}`)
  })
})
